// Division of a node's processors among its processes.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/binding.hpp"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "core/text.hpp"

namespace nfold::hardware {
namespace {

ProcessorSet usable(const ProcessAffinity& seat) {
  return seat.how == Bound::by_launcher && seat.reachable.any() ? seat.reachable : seat.bound;
}

/// Returns part `at` of `parts` equal parts of the set, in whole cores if they divide evenly.
ProcessorSet part_of(const ProcessorSet& all, std::size_t at, std::size_t parts,
                     std::span<const ProcessorSet> cores) {
  std::vector<ProcessorSet> units;
  ProcessorSet known;
  for (const auto& core : cores) {
    if ((core & all).any()) units.push_back(core & all);
    known |= core;
  }
  const bool is_even = units.size() % parts == 0 && (all & ~known).none() && !units.empty() &&
                       std::ranges::all_of(units, [&](const ProcessorSet& unit) {
                         return unit.count() == units.front().count();
                       });
  if (!is_even) {
    std::vector<ProcessorSet> single;
    ProcessorSet rest = all;
    const auto take = [&](const ProcessorSet& from) {
      for (std::size_t k = 0; k < from.size(); ++k) {
        if (from[k]) single.emplace_back().set(k);
      }
      rest &= ~from;
    };
    for (const auto& unit : units) take(unit);
    take(ProcessorSet(rest));
    units = std::move(single);
  }
  ProcessorSet part;
  for (std::size_t k = at * units.size() / parts; k < (at + 1) * units.size() / parts; ++k) {
    part |= units[k];
  }
  return part;
}

/// True if each process can have a part of the processors near its GPU: these sets are equal or
/// disjoint, and large enough.
bool sides_can_be_shared(std::span<const ProcessorSet> sides) {
  for (const auto& one : sides) {
    std::size_t sharers = 0;
    for (const auto& other : sides) {
      if (one == other) {
        ++sharers;
      } else if ((one & other).any()) {
        return false;
      }
    }
    if (one.count() < sharers) return false;
  }
  return true;
}

bool is_set(const char* value) { return value != nullptr && *value != '\0'; }

}  // namespace

Binding choose_binding(std::span<const ProcessAffinity> seats, std::size_t own,
                       std::span<const ProcessorSet> cores) {
  std::vector<ProcessorSet> may_use;
  for (const auto& seat : seats) may_use.push_back(usable(seat));
  const auto& mine = may_use[own];
  Binding binding;
  if (mine.none()) {
    const auto all = static_cast<int>(std::thread::hardware_concurrency());
    binding.threads = std::max(1, all / static_cast<int>(seats.size()));
    return binding;
  }
  binding.threads = share_of_processors(may_use, own);
  const bool is_alike = std::all_of(may_use.begin(), may_use.end(),
                                    [&](const ProcessorSet& other) { return other == mine; });
  const bool may_divide = std::all_of(seats.begin(), seats.end(), [](const ProcessAffinity& seat) {
    return seat.may_narrow && seat.how != Bound::by_user && seat.reachable.any();
  });
  if (!is_alike || !may_divide || mine.count() < seats.size()) {
    if (seats[own].how != Bound::by_user && mine != seats[own].bound) binding.processors = mine;
    return binding;
  }
  std::vector<ProcessorSet> sides;
  for (const auto& seat : seats) {
    const auto side = seat.near & mine;
    sides.push_back(side.any() ? side : mine);
  }
  if (!sides_can_be_shared(sides)) std::fill(sides.begin(), sides.end(), mine);
  const auto& side = sides[own];
  const auto parts = std::count(sides.begin(), sides.end(), side);
  const auto at = std::count(sides.begin(), sides.begin() + static_cast<std::ptrdiff_t>(own), side);
  const auto part =
      part_of(side, static_cast<std::size_t>(at), static_cast<std::size_t>(parts), cores);
  binding.threads = std::min(binding.threads, static_cast<int>(part.count()));
  if (part != seats[own].bound) binding.processors = part;
  return binding;
}

ProcessAffinity find_own_affinity(bool keep, const char* (*environment)(const char*)) {
  ProcessAffinity seat;
  const char* const binds = environment("OMP_PROC_BIND");
  const bool is_unbound = is_set(binds) && strcasecmp(binds, "false") == 0;
  // If requested, OpenMP has bound the main thread itself, to one of its places.
  if ((is_set(binds) && !is_unbound) || is_set(environment("GOMP_CPU_AFFINITY")) ||
      is_set(environment("KMP_AFFINITY"))) {
    seat.how = Bound::by_user;
    return seat;
  }
  seat.bound = bound_processors();
  seat.may_narrow = !is_unbound;
  if (const auto reachable = reachable_processors()) seat.reachable = *reachable;
  // Open MPI passes on its options; a PE in the mapping option means cores for each rank.
  const char* const mapping = environment("OMPI_MCA_rmaps_base_mapping_policy");
  const bool is_set_by_user =
      is_set(environment("OMPI_MCA_hwloc_base_binding_policy")) ||
      is_set(environment("OMPI_MCA_hwloc_base_cpu_list")) ||
      is_set(environment("OMPI_MCA_rmaps_base_cpus_per_rank")) ||
      is_set(environment("PRTE_MCA_hwloc_default_binding_policy")) ||
      (is_set(mapping) && std::string_view(mapping).find("PE=") != std::string_view::npos);
  const char* const policy = environment("OMPI_MCA_hwloc_base_binding_policy");
  const bool is_free = is_set(policy) && std::string_view(policy).starts_with("none");
  if (keep || (is_set_by_user && !is_free)) {
    seat.how = Bound::by_user;
  } else if (is_set(environment("OMPI_COMM_WORLD_LOCAL_SIZE")) && !is_free) {
    // The scheduler counts the job's processors on this node, but does not enforce the limit:
    // processors beyond those that it bound belong to other jobs.
    const char* const given = environment("SLURM_CPUS_ON_NODE");
    const bool is_fenced =
        !is_set(given) || static_cast<std::size_t>(std::atoi(given)) >= seat.reachable.count();
    seat.how = is_fenced ? Bound::by_launcher : Bound::by_unknown;
  }
  return seat;
}

std::string binding_note(std::span<const ProcessAffinity> seats, std::size_t own,
                         const Binding& binding) {
  const auto& seat = seats[own];
  const auto bound = seat.bound.count(), reachable = seat.reachable.count();
  const auto who =
      seats.size() == 1 ? std::string("this rank") : fmt::format("each of {} ranks", seats.size());
  if (seat.bound.none()) return {};
  if (seat.how == Bound::by_launcher && reachable > bound && binding.processors.any()) {
    return fmt::format("mpirun had bound {} to {} of {} processors; now it has {}", who, bound,
                       reachable, binding.threads);
  }
  if (seat.how == Bound::by_launcher && seat.reachable.none()) {
    return fmt::format(
        "{} may be bound to {} by mpirun, and the system does not let that be changed; with mpirun "
        "--bind-to none all are used",
        who, core::pluralise(bound, "processor"));
  }
  if (seat.how != Bound::by_launcher && 2 * bound * seats.size() <= reachable) {
    const auto idle = reachable - bound * seats.size();
    return fmt::format(
        "{} is bound to {} of {} processors, so that {} idle; with mpirun --bind-to none they are "
        "used",
        who, bound, reachable, idle == 1 ? "one is" : fmt::format("{} are", idle));
  }
  return {};
}

}  // namespace nfold::hardware
