// Small condensate and copies timed on each device, in restarted processes of the program.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/device_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/suite.hpp"
#include "cli/bench/systems.hpp"
#include "comm/communicator.hpp"
#include "device/compute_environment.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/inventory_json.hpp"
#include "device/hardware/processors.hpp"
#include "device/link_speed.hpp"
#include "supervise/child_process.hpp"

namespace nfold::bench {
namespace {

constexpr int cpu_residues = 2'400, gpu_residues = 60'000;
constexpr std::int64_t cpu_warm_up_steps = 150, gpu_warm_up_steps = 1'500;
constexpr Timing timing{0.4, 3};
constexpr std::chrono::seconds most_time{60};

hardware::MeasuredSpeed speed_of_device() {
  hardware::MeasuredSpeed speed;
  speed.memory_bytes_per_second = device::measured_memory_bytes_per_second();
  speed.host_link_bytes_per_second = device::measured_host_link_bytes_per_second();
  speed.exchange_latency_seconds = device::measured_host_latency_seconds();
  SuiteOptions options;
  options.timing = timing;
  options.warm_up_steps = device::computes_on_gpu() ? gpu_warm_up_steps : cpu_warm_up_steps;
  const int residues = device::computes_on_gpu() ? gpu_residues : cpu_residues;
  const auto system = condensate_system("measured condensate", residues);
  const auto result = measure_system(comm::Communicator(), system, options);
  if (!result.reason.empty()) throw std::runtime_error(result.reason);
  const double steps = result.measurement.median_steps_per_second();
  // Each pair is in two lists.
  speed.pair_forces_per_second = steps * static_cast<double>(result.measurement.pair_entries);
  speed.residue_steps_per_second = steps * residues;
  return speed;
}

std::vector<hardware::GpuLink> speeds_of_links() {
  std::vector<hardware::GpuLink> links;
  for (const auto& speed : device::measured_peer_speeds()) {
    auto& link = links.emplace_back();
    link.first = speed.first;
    link.second = speed.second;
    link.bytes_per_second = speed.bytes_per_second;
    link.latency_seconds = speed.latency_seconds;
  }
  return links;
}

/// Returns what measure_here() prints in a child process that reaches only these GPUs. Throws
/// std::runtime_error if it failed, died or took too long.
hardware::NodeInventory measured_by_child(bool links, const std::string& visible_gpus) {
  supervise::StartCommand command;
  command.words = {"/proc/self/exe", "devices", links ? "--measure-links-here" : "--measure-here"};
  command.environment = {{"OMP_PROC_BIND", "false"}};
  if (!visible_gpus.empty()) command.environment.emplace_back("CUDA_VISIBLE_DEVICES", visible_gpus);
  const auto output = supervise::run_and_capture(
      command, most_time, [](std::string_view bytes) { std::cerr << bytes << std::flush; });
  if (!output) throw std::runtime_error(fmt::format("no answer within {} s", most_time.count()));
  constexpr int died_of_signal = 128;
  if (output->exit_code > died_of_signal) {
    throw std::runtime_error(
        fmt::format("its process died of signal {}", output->exit_code - died_of_signal));
  }
  const auto begin = output->text.find('{');
  if (begin == std::string::npos) {
    throw std::runtime_error(
        fmt::format("its process ended with exit code {} and no answer", output->exit_code));
  }
  auto found = hardware::read_node_text(output->text.substr(begin));
  if (found.cpu.measured.failure) throw std::runtime_error(*found.cpu.measured.failure);
  return found;
}

hardware::MeasuredSpeed measured(const std::string& visible_gpus) {
  try {
    return measured_by_child(false, visible_gpus).cpu.measured;
  } catch (const std::exception& failure) {
    hardware::MeasuredSpeed none;
    none.failure = failure.what();
    return none;
  }
}

void measure_links(hardware::NodeInventory& node, const std::vector<hardware::Gpu*>& gpus) {
  if (gpus.size() < 2) return;
  std::string visible;
  for (const auto* gpu : gpus) visible += (visible.empty() ? "" : ",") + gpu->uuid;
  try {
    for (const auto& found : measured_by_child(true, visible).links) {
      const int first = gpus.at(static_cast<std::size_t>(found.first))->index;
      const int second = gpus.at(static_cast<std::size_t>(found.second))->index;
      for (auto& link : node.links) {
        if (std::minmax(link.first, link.second) != std::minmax(first, second)) continue;
        link.bytes_per_second = found.bytes_per_second;
        link.latency_seconds = found.latency_seconds;
      }
    }
  } catch (const std::exception& failure) {
    node.notes.push_back(fmt::format("links between GPUs were not measured: {}", failure.what()));
  }
}

}  // namespace

void measure_here(bool links) {
  hardware::NodeInventory found;
  try {
    const device::ComputeEnvironment compute((comm::Communicator()));
    if (links) {
      found.links = speeds_of_links();
    } else {
      found.cpu.measured = speed_of_device();
    }
  } catch (const std::exception& failure) {
    found.cpu.measured.failure = failure.what();
  }
  std::cout << hardware::write_node(found) << std::endl;
}

void measure_devices(hardware::NodeInventory& node, int place, int places) {
  if (!device::computes_on_gpu()) {
    if (place == 0) {
      // The rank may be bound to a core, but all of the CPU is measured.
      const auto bound = hardware::bound_processors();
      const auto all = hardware::reachable_processors();
      if (all) hardware::bind_to(*all);
      node.cpu.measured = measured("");
      if (all) hardware::bind_to(bound);
    }
    if (!node.gpus.empty()) {
      node.notes.emplace_back(
          "GPUs were not measured, for this nfold was built for CPUs; a build for CUDA does");
    }
    return;
  }
  std::vector<hardware::Gpu*> reached;
  for (auto& gpu : node.gpus) {
    if (gpu.is_visible && !gpu.lost && !gpu.uuid.empty()) reached.push_back(&gpu);
  }
  for (std::size_t k = static_cast<std::size_t>(place); k < reached.size();
       k += static_cast<std::size_t>(places)) {
    reached[k]->measured = measured(reached[k]->uuid);
  }
  if (place == 0) measure_links(node, reached);
}

}  // namespace nfold::bench
