// Inventories read by each rank, merged and printed by rank 0.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/devices.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "cli/bench/device_speed.hpp"
#include "comm/communicator.hpp"
#include "comm/waiting.hpp"
#include "device/device_memory.hpp"
#include "device/hardware/health.hpp"
#include "device/hardware/inventory_json.hpp"
#include "device/hardware/inventory_table.hpp"
#include "device/hardware/node.hpp"
#include "session/job/collective_work.hpp"

namespace nfold::bench {
namespace {

/// Collective. Returns the MPI latency between neighbouring ranks: the mean over all ranks that
/// have a partner.
std::optional<double> exchange_latency_seconds(const comm::Communicator& world) {
  constexpr int rounds = 1000;
  const int partner = world.rank() % 2 == 0 ? world.rank() + 1 : world.rank() - 1;
  if (world.size() < 2) return std::nullopt;
  std::vector<comm::Route> routes;
  if (partner < world.size()) routes.push_back({partner, 0, 8, 0, 8});
  comm::HaloTransport transport(world, routes);
  std::array<std::byte, 8> out{}, in{};
  world.barrier();
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < rounds; ++k) {
    transport.start(out.data(), in.data());
    transport.finish();
  }
  const double taken =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / rounds;
  const auto sum = static_cast<double>(world.sum(routes.empty() ? 0 : std::llround(taken * 1e9)));
  const auto ranks = static_cast<double>(world.sum(routes.empty() ? 0 : 1));
  return sum * 1e-9 / ranks;
}

/// Collective. Returns the inventories of all ranks in their order, on rank 0.
std::vector<hardware::NodeInventory> gather_inventories(const comm::Communicator& world,
                                                        const hardware::NodeInventory& own) {
  const std::string mine = hardware::write_node(own) + "\n";
  const auto all = world.gather(std::span<const char>(mine.data(), mine.size()));
  std::vector<hardware::NodeInventory> nodes;
  std::istringstream lines(std::string(all.begin(), all.end()));
  for (std::string line; std::getline(lines, line);) {
    nodes.push_back(hardware::read_node_text(line));
  }
  return nodes;
}

bool is_any_unfit(const std::vector<hardware::NodeInventory>& nodes) {
  for (const auto& node : nodes) {
    for (const auto& gpu : node.gpus) {
      const auto health = hardware::assess_health(gpu, hardware::same_model_devices(gpu, nodes));
      if (gpu.is_visible && health.level == hardware::HealthLevel::unfit) return true;
    }
  }
  return false;
}

std::string json_text(const std::vector<hardware::NodeInventory>& nodes,
                      const SplitRequest& request) {
  auto inventory = hardware::report_json(nodes);
  if (request.units > 0) inventory["split"] = json_of(split_over_devices(request, nodes));
  return inventory.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string all_tables_text(const std::vector<hardware::NodeInventory>& nodes,
                            const SplitRequest& request) {
  auto text = hardware::table_text(nodes);
  if (request.units > 0) text += "\n" + table_text(split_over_devices(request, nodes));
  return text;
}

core::ExitCode report(const comm::Communicator& world, const DevicesOptions& options) {
  const auto memory = device::host_memory_of_all();
  auto node = hardware::read_node({memory.free_bytes, memory.total_bytes});
  if (options.measure) {
    const auto place = world.node_position();
    measure_devices(node, place.rank, place.size);
    // Finished ranks must not spin beside those that still measure.
    const comm::WaitingWithoutLimit no_limit;
    while (!world.barrier_within(std::chrono::hours(1))) continue;
    const auto latency = exchange_latency_seconds(world);
    if (!node.cpu.measured.failure) node.cpu.measured.exchange_latency_seconds = latency;
  }
  const auto inventory = gather_inventories(world, node);
  const auto nodes = hardware::merged(inventory);
  job::on_root(world, [&] {
    std::cout << (options.json ? json_text(nodes, options.split)
                               : all_tables_text(nodes, options.split))
              << std::flush;
  });
  const bool is_unfit = world.any(world.is_root() && is_any_unfit(nodes));
  return is_unfit ? core::ExitCode::partly_failed : core::ExitCode::done;
}

}  // namespace

core::ExitCode devices(job::Invocation& invocation, const DevicesOptions& options) {
  if (options.measure_here || options.measure_links_here) {
    measure_here(options.measure_links_here);
    return core::ExitCode::done;
  }
  // A single process needs no MPI, whose start would be most of the command's time.
  std::optional<comm::Environment> environment;
  if (comm::is_launched()) environment.emplace(invocation.argc, invocation.argv);
  const auto world = environment ? comm::Communicator::world() : comm::Communicator();
  return job::run_collectively(
      world, [&] { return report(world, options); }, [](const core::Failure&) {});
}

}  // namespace nfold::bench
