// Exchange of processor sets between the ranks of a node, and the binding of each.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/host_threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <vector>

#include "device/hardware/binding.hpp"
#include "device/hardware/topology.hpp"

namespace nfold::device {
namespace {

struct Node {
  std::vector<hardware::ProcessAffinity> seats;  ///< in rank order
  std::size_t own = 0;
};

Node gather_affinities(const comm::Communicator& ranks, const hardware::ProcessAffinity& mine) {
  struct Placed {
    int node;
    hardware::ProcessAffinity seat;
  };
  const Placed placed{ranks.node_position().first, mine};
  Node node;
  int rank = 0;
  for (const auto& other : ranks.all_gather(std::span<const Placed>(&placed, 1))) {
    if (rank++ == ranks.rank()) node.own = node.seats.size();
    if (other.node == placed.node) node.seats.push_back(other.seat);
  }
  return node;
}

/// Returns OMP_NUM_THREADS if it is set: each rank has its own environment.
int requested_threads(int otherwise) {
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  const int count = asked != nullptr ? std::atoi(asked) : 0;
  return count > 0 ? count : otherwise;
}

const char* variable(const char* name) { return std::getenv(name); }

hardware::ProcessorSet& processors_of_node() {
  static hardware::ProcessorSet processors;  // empty: this process has not bound itself
  return processors;
}
int& threads_of_process() {
  static int threads = host_threads(comm::Communicator());
  return threads;
}
int& waiting_processes() {
  static int processes = 1;
  return processes;
}

}  // namespace

int host_threads(const comm::Communicator& ranks) {
  const auto node = gather_affinities(ranks, hardware::find_own_affinity(false, variable));
  return requested_threads(hardware::choose_binding(node.seats, node.own, {}).threads);
}

RankBinding bind_rank(const comm::Communicator& ranks, const hardware::ProcessorSet& near,
                      bool keep) {
  auto seat = hardware::find_own_affinity(keep, variable);
  seat.near = near;
  const auto node = gather_affinities(ranks, seat);
  std::vector<hardware::ProcessorSet> cores;
  auto binding = hardware::choose_binding(node.seats, node.own, cores);
  if (binding.processors.any() &&
      node.seats.size() > 1) {  // the order of cores matters only with several ranks
    const hardware::Topology topology(hardware::Topology::Depth::processors);
    if (topology.is_of_this_machine()) cores = topology.cores_in_order();
    binding = hardware::choose_binding(node.seats, node.own, cores);
  }
  RankBinding done{requested_threads(binding.threads),
                   {},
                   hardware::binding_note(node.seats, node.own, binding)};
  if (binding.processors.none()) return done;
  if (hardware::bind_to(binding.processors)) {
    done.processors = binding.processors;
    for (const auto& other : node.seats) {
      processors_of_node() |= other.how == hardware::Bound::by_launcher && other.reachable.any()
                                  ? other.reachable
                                  : other.bound;
    }
  } else {
    done.note = "the system does not let this rank keep to processors " +
                hardware::list_text(binding.processors);
  }
  return done;
}

ThreadChoice choose_threads(int asked, int processors) {
  constexpr int most = 512;
  ThreadChoice taken{std::min(asked, most), {}};
  if (asked > most) {
    taken.warning = fmt::format(
        "takes {} threads of {}, the most that one rank may have; more "
        "ranks use the others",
        most, asked);
  }
  if (processors > 0 && taken.threads > processors) {
    taken.warning += fmt::format(
        "{}has {} threads on {} processor{}, so each step waits for "
        "threads that do not run; --threads {} is faster, often a "
        "thousandfold",
        taken.warning.empty() ? "" : "; ", taken.threads, processors, processors == 1 ? "" : "s",
        processors);
  }
  return taken;
}

int node_thread_count() { return threads_of_process() * waiting_processes(); }
void set_threads_of_process(int threads) { threads_of_process() = threads; }
void set_waiting_processes(int processes) { waiting_processes() = processes; }

ProcessorsOfAllRanks::ProcessorsOfAllRanks() {
  if (processors_of_node().none() || waiting_processes() == 1) return;
  before_ = hardware::bound_processors();
  hardware::bind_to(processors_of_node());
}
ProcessorsOfAllRanks::~ProcessorsOfAllRanks() {
  if (before_.any()) hardware::bind_to(before_);
}

}  // namespace nfold::device
