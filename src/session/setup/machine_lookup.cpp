// Machines by name, by file, and by hwloc and NVML of this node.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/setup/machine_lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/nearest.hpp"
#include "core/refusal.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/node.hpp"
#include "input/input.hpp"
#include "session/job/collective_work.hpp"

namespace nfold::setup {
namespace {

constexpr double giga = 1e9;

/// Returns the words of letters and digits in `text`, in lower case.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words{""};
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) != 0) {
      words.back() += static_cast<char>(std::tolower(letter));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

/// Returns the built-in machine whose name is a word of the GPU's name, or two adjacent words:
/// "rtx4060" for an RTX 4060, but not "a100" for an A1000.
std::optional<estimate::Machine> find_builtin_machine(const std::string& gpu) {
  const auto words = split_words(gpu);
  for (const auto& name : estimate::builtin_machine_names()) {
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (words[k] != name && (k == 0 || words[k - 1] + words[k] != name)) continue;
      auto machine = estimate::builtin_machine(name);
      if (machine.has_gpus()) return machine;  // "laptop" is a word of GPU names, too
    }
  }
  return std::nullopt;
}

bool is_usable(const hardware::Gpu& gpu) { return gpu.is_visible && !gpu.lost; }

std::string text_of_file(const std::string& wish) {
  std::error_code unknown;
  if (!std::filesystem::exists(wish, unknown)) {
    const auto& names = estimate::builtin_machine_names();
    const auto nearest =
        core::nearest_word(wish, std::vector<std::string_view>(names.begin(), names.end()));
    core::refuse(fmt::format("machine '{}'", wish), "no built-in machine and no file",
                 nearest.empty()
                     ? fmt::format("give one of {}, or a file of nfold bench --calibrate",
                                   fmt::join(names, ", "))
                     : fmt::format("did you mean '{}'?", nearest));
  }
  return input::read_input_text(wish);
}

/// Returns a built-in machine, or the one in the text that text_of_wish() reads.
template <class Read>
estimate::Machine load_machine(const std::string& wish, const Read& text_of_wish) {
  if (!estimate::builtin_machine_text(wish).empty()) return estimate::builtin_machine(wish);
  return estimate::parse_machine(text_of_wish(), std::filesystem::path(wish).stem().string(), wish);
}

}  // namespace

void set_host(estimate::Machine& machine, const hardware::NodeInventory& node) {
  if (node.cpu.cores) machine.cores_per_node = *node.cpu.cores;
  if (node.cpu.memory_total_bytes) {
    machine.host_memory_gb = static_cast<double>(*node.cpu.memory_total_bytes) / giga;
  }
}

void set_gpu(estimate::DataSheet& sheet, const hardware::Gpu& gpu, bool with_speed) {
  sheet.name = gpu.name;
  if (gpu.memory_total_bytes) sheet.memory_gb = static_cast<double>(*gpu.memory_total_bytes) / giga;
  if (with_speed && gpu.compute_units) sheet.units = *gpu.compute_units;
  if (with_speed && gpu.most_clock_mhz) sheet.clock_mhz = *gpu.most_clock_mhz;
}

const hardware::Gpu* first_usable_gpu(const hardware::NodeInventory& node) {
  const auto first = std::ranges::find_if(node.gpus, is_usable);
  return first == node.gpus.end() ? nullptr : &*first;
}

estimate::Machine estimate_machine(const hardware::NodeInventory& node) {
  auto machine = estimate::builtin_machine(estimate::default_machine);
  const auto* const gpu = first_usable_gpu(node);
  if (gpu != nullptr) {
    auto known = find_builtin_machine(gpu->name);
    const auto default_sheet = *machine.gpu;
    if (known) machine = std::move(*known);
    set_gpu(*machine.gpu, *gpu, !known);
    if (!known) {
      machine.steps_are_scaled = machine.replicas_are_scaled = true;
      auto ratio = estimate::compare_sheets(*machine.gpu, default_sheet);
      ratio.memory = ratio.computing;  // NVML does not report the bandwidth
      machine.gpu_step = estimate::scaled(machine.gpu_step, ratio);
      estimate::scale(machine.speeds.gpu, ratio.computing);
    }
  } else {
    machine.gpu.reset();
    if (node.cpu.most_clock_mhz) {
      auto sheet = machine.core;
      sheet.clock_mhz = *node.cpu.most_clock_mhz;
      machine.core_step =
          estimate::scaled(machine.core_step, estimate::compare_sheets(sheet, machine.core));
      machine.core = sheet;
    }
    machine.steps_are_scaled = machine.replicas_are_scaled = true;
    machine.core.name = node.cpu.model;
  }
  machine.gpus_per_node = static_cast<int>(std::ranges::count_if(node.gpus, is_usable));
  machine.based_on = machine.steps_are_scaled ? "here" : machine.name;
  machine.name = "here";
  machine.description = fmt::format("this computer, {}", node.host);
  machine.speed_source =
      fmt::format("those of {}, not measured here: nfold bench --calibrate FILE measures them",
                  gpu != nullptr ? machine.gpu->name : "a core of an AMD EPYC by clock");
  machine.most_nodes = 1;
  machine.most_hours = 24 * 30;
  machine.gpu_hour = 0;
  machine.core_hour = 0;
  set_host(machine, node);
  return machine;
}

estimate::Machine machine_for(const std::string& wish) {
  std::string name = wish;
  if (name.empty()) {
    const char* const variable = std::getenv("NFOLD_MACHINE");
    if (variable != nullptr) name = variable;
  }
  if (name.empty()) {
    const auto memory = device::host_memory_of_all();
    return estimate_machine(hardware::read_node({memory.free_bytes, memory.total_bytes}));
  }
  return load_machine(name, [&] { return text_of_file(name); });
}

const estimate::Machine& machine_here() {
  static const auto machine = [] {
    try {
      return machine_for("");
    } catch (const std::exception&) {
      return estimate::builtin_machine(estimate::default_machine);
    }
  }();
  return machine;
}

estimate::Machine machine_named(const comm::Communicator& communicator, const std::string& wish) {
  return load_machine(
      wish, [&] { return job::text_from_root(communicator, [&] { return text_of_file(wish); }); });
}

}  // namespace nfold::setup
