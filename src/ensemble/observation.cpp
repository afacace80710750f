// From keys to a plan, from replicas to counts, from counts to a checkpoint and back.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/observation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "job/refusal.hpp"

namespace nfold::ensemble {
namespace {

const std::string head_key = "ensemble.analysis";

/// The parts of the counts by the names they have in a checkpoint.
template <class Counts, class Visit>
void for_each_part(Counts& counts, const Visit& visit) {
  visit(head_key + ".samples", counts.samples);
  visit(head_key + ".contacts", counts.contacts);
  visit(head_key + ".sizes", counts.sizes);
  visit(head_key + ".phases", counts.phases);
  visit(head_key + ".undefined", counts.undefined);
  visit(head_key + ".energies", counts.energies);
}

}  // namespace

replicas::ObserverPlan observer_plan(const config::Settings& settings,
                                     const topology::Topology& topology,
                                     const std::vector<replicas::ThermodynamicState>& ladder) {
  const auto& asked = settings.ensemble.analysis;
  replicas::ObserverPlan plan;
  plan.states = static_cast<int>(ladder.size());
  plan.contacts = asked.contacts && topology.contact_count() > 0;
  plan.sizes = asked.radius_of_gyration;
  plan.phases = asked.phase_locking && !replicas::phase_residues(topology).empty();
  plan.residue_energies = asked.residue_energies;
  if (asked.at_kelvin > 0) {
    const auto distance = [&](std::size_t k) {
      return std::abs(ladder[k].temperature_kelvin - asked.at_kelvin);
    };
    plan.only_state = 0;
    for (std::size_t k = 1; k < ladder.size(); ++k) {
      const auto best = static_cast<std::size_t>(plan.only_state);
      if (distance(k) < distance(best)) plan.only_state = static_cast<int>(k);
    }
  }
  replicas::set_ranges(topology, ladder.back().temperature_kelvin, plan);
  return plan;
}

EnsembleObservation::EnsembleObservation(const comm::Communicator& communicator,
                                         const config::Settings& settings,
                                         const topology::Topology& topology,
                                         const std::vector<replicas::ThermodynamicState>& ladder)
    : communicator_(communicator),
      equilibration_steps_(settings.ensemble.equilibration_steps),
      contacts_(topology.contact_count()),
      plan_(observer_plan(settings, topology, ladder)) {
  if (plan_.any()) observer_.emplace(topology, plan_);
}

void EnsembleObservation::sample(std::int64_t step, replicas::ReplicaSet& replicas,
                                 std::span<const io::ReplicaSample> mine) {
  // A start is no sample of any temperature.
  if (!observer_ || step == 0 || step < equilibration_steps_) return;
  std::vector<replicas::ReplicaLabel> labels;
  labels.reserve(mine.size());
  for (const auto& one : mine) {
    labels.push_back({one.state, replicas::q_bin_of(one.formed_contacts, contacts_)});
  }
  replicas.observe(*observer_, labels);
  ++times_;
  totals_.reset();
}

const replicas::ObservedCounts& EnsembleObservation::totals() {
  if (!totals_) {
    totals_ = observer_ ? observer_->counts() : replicas::ObservedCounts();
    if (times_ > 0 && communicator_.size() > 1) {
      for_each_part(*totals_, [this](const std::string&, std::vector<std::int64_t>& part) {
        communicator_.sum(std::span<std::int64_t>(part));
      });
    }
  }
  return *totals_;
}

void EnsembleObservation::save(std::map<std::string, std::vector<std::int64_t>>& accumulators) {
  if (!observer_) return;
  accumulators[head_key] = {times_, equilibration_steps_};
  if (times_ == 0) return;  // zeros need no room
  for_each_part(totals(), [&](const std::string& name, const std::vector<std::int64_t>& part) {
    if (!part.empty()) accumulators[name] = part;
  });
}

void EnsembleObservation::restore(
    const std::map<std::string, std::vector<std::int64_t>>& accumulators,
    const std::string& where) {
  if (!observer_) return;
  const auto refuse_counts = [&where] {
    job::refuse(where, "its counts of ensemble.analysis are not those that this input makes",
                "go on with the input and the nfold that wrote it, or start anew by --overwrite");
  };
  const auto head = accumulators.find(head_key);
  if (head == accumulators.end() || head->second.size() != 2) return refuse_counts();
  times_ = head->second[0];
  if (times_ == 0) return;
  if (head->second[1] != equilibration_steps_) {
    job::refuse("ensemble.equilibration_steps",
                fmt::format("is {}, but {} counts samples since step {}", equilibration_steps_,
                            where, head->second[1]),
                "leave it as it was; what was counted cannot be taken apart");
  }
  replicas::ObservedCounts counts;
  for_each_part(counts, [&](const std::string& name, std::vector<std::int64_t>& part) {
    const auto found = accumulators.find(name);
    if (found != accumulators.end()) part = found->second;
  });
  try {
    observer_->restore(counts);  // on all ranks, so that all find the same wrong
  } catch (const std::invalid_argument&) {
    refuse_counts();
  }
  if (communicator_.is_root()) return;
  for_each_part(counts, [](const std::string&, std::vector<std::int64_t>& part) {
    std::fill(part.begin(), part.end(), 0);
  });
  observer_->restore(counts);
}

}  // namespace nfold::ensemble
