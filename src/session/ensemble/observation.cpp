// Observer plan from the input, counts of replicas, and their checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/observation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "analysis/distinct_residues.hpp"
#include "analysis/word_stream.hpp"
#include "core/refusal.hpp"
#include "session/setup/row_owners.hpp"
#include "system/cell_list.hpp"

namespace nfold::ensemble {

using analysis::SparseCounts;
using replicas::for_each_count;

namespace {

const std::string head_key = "ensemble.analysis";
const std::string counts_key = head_key + ".", maps_key = counts_key + "contact_maps";

}  // namespace

replicas::ObserverPlan observer_plan(const input::Settings& settings,
                                     const topology::Topology& topology,
                                     const std::vector<system::ThermodynamicState>& ladder) {
  const auto& asked = settings.ensemble.analysis;
  replicas::ObserverPlan plan;
  plan.states = static_cast<int>(ladder.size());
  plan.contacts = asked.contacts && topology.contact_count() > 0;
  plan.sizes = asked.radius_of_gyration;
  plan.phases = asked.phase_locking && !replicas::phase_residues(topology).empty();
  plan.residue_energies = asked.residue_energies;
  plan.contact_maps = asked.contact_maps;
  plan.contact_cutoff_nm = asked.contact_cutoff_nm;
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

replicas::ObserverPlan distribute_rows(replicas::ObserverPlan plan,
                                       const topology::Topology& topology, int rank, int ranks) {
  if (topology.residue_count() > replicas::ObserverPlan::most_residues_of_whole_maps) {
    plan.share = rank;
    plan.shares = ranks;
  }
  return plan;
}

EnsembleObservation::EnsembleObservation(const comm::Communicator& communicator,
                                         const input::Settings& settings,
                                         const topology::Topology& topology,
                                         const std::vector<system::ThermodynamicState>& ladder)
    : communicator_(communicator),
      equilibration_steps_(settings.ensemble.equilibration_steps),
      contacts_(topology.contact_count()),
      plan_(distribute_rows(observer_plan(settings, topology, ladder), topology,
                            communicator.rank(), communicator.size())),
      topology_(topology) {
  if (plan_.any()) observer_.emplace(topology, plan_);
  if (plan_.has_sparse_maps(topology.residue_count())) {
    rows_of_maps_.resize(static_cast<std::size_t>(plan_.large_tables()));
  }
  if (plan_.residue_energies && plan_.shares > 1) {
    rows_of_energies_.resize(static_cast<std::size_t>(plan_.large_tables()));
  }
}

void EnsembleObservation::sample(std::int64_t step, replicas::ReplicaSet& replicas,
                                 std::span<const io::ReplicaSample> mine) {
  // A start is no sample of any temperature.
  if (!observer_ || step == 0 || step < equilibration_steps_) return;
  std::vector<replicas::ReplicaLabel> labels;
  labels.reserve(mine.size());
  for (const auto& one : mine) {
    labels.push_back({one.state, replicas::to_q_bin(one.formed_contacts, contacts_)});
  }
  replicas.observe(*observer_, labels);
  if (plan_.phases && plan_.shares > 1) sum_phases();
  if (!rows_of_energies_.empty()) count_energies();
  if (!rows_of_maps_.empty()) count_near(replicas, mine);
  ++sample_count_;
  totals_.reset();
}

/// Gathers the phases of all replicas; each rank sums its own rows.
void EnsembleObservation::sum_phases() {
  const auto mine = observer_->take_phases();
  observer_->sum_phases({communicator_.all_gather(std::span<const std::int32_t>(mine.table)),
                         communicator_.all_gather(std::span<const std::int32_t>(mine.values))});
}

void EnsembleObservation::count_energies() {
  const int residues = topology_.residue_count();
  const auto met = observer_->take_energies();
  std::vector<SparseCounts> found(rows_of_energies_.size());
  std::size_t at = 0;
  for (const int table : met.table) {
    for (int i = 0; i < residues; ++i, ++at) {
      if (table < 0) continue;
      found[static_cast<std::size_t>(table)].add(SparseCounts::key_of(i, met.bins[at]));
    }
  }
  for (std::size_t table = 0; table < found.size(); ++table) {
    for (const auto& [key, count] : setup::gather_own_rows(communicator_, residues, found[table])) {
      rows_of_energies_[table].add(key, count);
    }
  }
}

/// Gathers (large tables, residues, bins) on rank 0.
void EnsembleObservation::gather_energies(std::vector<std::int64_t>& energies) const {
  constexpr std::size_t bins = replicas::ObserverPlan::energy_bins;
  const std::size_t table_size = bins * topology_.residues.size();
  if (communicator_.is_root()) energies.assign(rows_of_energies_.size() * table_size, 0);
  for (std::size_t table = 0; table < rows_of_energies_.size(); ++table) {
    for (const auto& [key, count] : communicator_.gather(rows_of_energies_[table].entries())) {
      energies[table * table_size + static_cast<std::size_t>(SparseCounts::row_of(key)) * bins +
               static_cast<std::size_t>(SparseCounts::column_of(key))] = count;
    }
  }
}

/// Keeps this rank's rows and clears `energies`, unless its size does not match this plan.
void EnsembleObservation::keep_own_energies(std::vector<std::int64_t>& energies) {
  constexpr std::size_t bins = replicas::ObserverPlan::energy_bins;
  const int residues = topology_.residue_count();
  const std::size_t table_size = bins * topology_.residues.size();
  if (energies.size() != rows_of_energies_.size() * table_size) return;
  const auto own = analysis::rows_of_share(residues, communicator_.rank(), communicator_.size());
  for (std::size_t table = 0; table < rows_of_energies_.size(); ++table) {
    for (int i = own.first; i < own.last; ++i) {
      for (std::size_t bin = 0; bin < bins; ++bin) {
        const auto count = energies[table * table_size + static_cast<std::size_t>(i) * bins + bin];
        const auto key = SparseCounts::key_of(i, static_cast<int>(bin));
        if (count > 0) rows_of_energies_[table].add(key, count);
      }
    }
  }
  energies.clear();
}

/// Gathers all pairs on rank 0, from (large tables, 4, own pairs).
void EnsembleObservation::gather_phases(std::vector<std::int64_t>& phases) const {
  const std::size_t parts = 4 * static_cast<std::size_t>(plan_.large_tables());
  const auto own = phases.size() / parts;
  std::vector<std::int64_t> whole;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto all =
        communicator_.gather(std::span<const std::int64_t>(phases).subspan(part * own, own));
    whole.insert(whole.end(), all.begin(), all.end());
  }
  phases = std::move(whole);
}

/// Reduces `phases` to this rank's pairs, unless its size does not match this plan.
void EnsembleObservation::keep_own_phases(std::vector<std::int64_t>& phases) const {
  const int rows = static_cast<int>(replicas::phase_residues(topology_).size()) + 1;
  const auto range = replicas::share_phase_rows(rows, plan_.share, plan_.shares);
  const auto pairs = static_cast<std::size_t>(replicas::phase_pair_index(rows, rows, rows));
  const std::size_t parts = 4 * static_cast<std::size_t>(plan_.large_tables());
  if (phases.size() != parts * pairs) return;
  std::vector<std::int64_t> own;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto first =
        phases.begin() + static_cast<std::ptrdiff_t>(part * pairs) + range.before(rows);
    own.insert(own.end(), first, first + range.pairs(rows));
  }
  phases = std::move(own);
}

void EnsembleObservation::count_near(const replicas::ReplicaSet& replicas,
                                     std::span<const io::ReplicaSample> mine) {
  const auto residues = static_cast<std::size_t>(topology_.residue_count());
  const auto states = replicas.states();
  std::vector<SparseCounts> found(rows_of_maps_.size());
  for (std::size_t r = 0; r < mine.size(); ++r) {
    const int table = plan_.large_table_index(mine[r].state);
    if (table < 0) continue;
    std::vector<std::array<double, 3>> x_nm;
    x_nm.reserve(residues);
    for (const auto& row : std::span(states.position).subspan(r * residues, residues)) {
      x_nm.push_back(system::position_nm(topology_.box, row));
    }
    auto& counts = found[static_cast<std::size_t>(table)];
    system::CellList(topology_.box, x_nm, plan_.contact_cutoff_nm)
        .for_each_pair([&counts](int i, int j) {
          const auto [low, high] = std::minmax({i, j});
          counts.add(SparseCounts::key_of(low, high));
        });
  }
  for (std::size_t table = 0; table < found.size(); ++table) {
    for (const auto& [key, count] :
         setup::gather_own_rows(communicator_, topology_.residue_count(), found[table])) {
      rows_of_maps_[table].add(key, count);
    }
  }
}

const replicas::ObservedCounts& EnsembleObservation::totals() {
  if (!totals_) {
    totals_ = observer_ ? observer_->counts() : replicas::ObservedCounts();
    if (sample_count_ > 0 && communicator_.size() > 1) {
      for_each_count(
          [this](const char*, std::vector<std::int64_t>& part) {
            if (plan_.shares > 1 && &part == &totals_->phases) return gather_phases(part);
            communicator_.sum(std::span<std::int64_t>(part));
          },
          *totals_);
      if (!rows_of_energies_.empty()) gather_energies(totals_->energies);
    }
    sparse_maps_.clear();
    for (const auto& rows : rows_of_maps_) {
      sparse_maps_.push_back(communicator_.gather(rows.entries()));
    }
  }
  return *totals_;
}

std::vector<EnsembleObservation::NearPairs> EnsembleObservation::contact_maps() const {
  if (!rows_of_maps_.empty() || !totals_) return sparse_maps_;
  const int residues = topology_.residue_count();
  std::vector<NearPairs> maps;
  for (std::size_t at = 0; at < totals_->near.size();) {
    auto& map = maps.emplace_back();
    for (int i = 0; i < residues; ++i) {
      for (int j = i + 1; j < residues; ++j, ++at) {
        const auto count = totals_->near[at];
        if (count > 0) map.push_back({SparseCounts::key_of(i, j), count});
      }
    }
  }
  return maps;
}

void EnsembleObservation::save(std::map<std::string, std::vector<std::int64_t>>& accumulators) {
  if (!observer_) return;
  accumulators[head_key] = {sample_count_, equilibration_steps_};
  if (sample_count_ == 0) return;  // zeros are not saved
  for_each_count(
      [&](const char* name, const std::vector<std::int64_t>& part) {
        if (!part.empty()) accumulators[counts_key + name] = part;
      },
      totals());
  if (rows_of_maps_.empty()) return;
  analysis::WordWriter words;
  words.put_number(plan_.contact_cutoff_nm);
  for (const auto& map : sparse_maps_) SparseCounts::save(map, words);
  accumulators[maps_key] = words.words();
}

bool EnsembleObservation::restore_maps(
    const std::map<std::string, std::vector<std::int64_t>>& accumulators) {
  const auto found = accumulators.find(maps_key);
  if (found == accumulators.end()) return false;
  const auto own = analysis::rows_of_share(topology_.residue_count(), communicator_.rank(),
                                           communicator_.size());
  try {
    analysis::WordReader from(found->second);
    if (from.get() != std::bit_cast<std::int64_t>(plan_.contact_cutoff_nm)) return false;
    for (auto& rows : rows_of_maps_) rows.restore(from, own);
  } catch (const std::out_of_range&) {
    return false;
  }
  return true;
}

void EnsembleObservation::restore(
    const std::map<std::string, std::vector<std::int64_t>>& accumulators,
    const std::string& where) {
  if (!observer_) return;
  const auto refuse_counts = [&where] {
    core::refuse(where, "its counts of ensemble.analysis are not those that this input makes",
                 "go on with the input and the nfold that wrote it, or start anew by --overwrite");
  };
  const auto head = accumulators.find(head_key);
  if (head == accumulators.end() || head->second.size() != 2) return refuse_counts();
  sample_count_ = head->second[0];
  if (sample_count_ == 0) return;
  if (head->second[1] != equilibration_steps_) {
    core::refuse("ensemble.equilibration_steps",
                 fmt::format("is {}, but {} counts samples since step {}", equilibration_steps_,
                             where, head->second[1]),
                 "leave it as it was; what was counted cannot be taken apart");
  }
  if (!rows_of_maps_.empty() && !restore_maps(accumulators)) return refuse_counts();
  replicas::ObservedCounts counts;
  for_each_count(
      [&](const char* name, std::vector<std::int64_t>& part) {
        const auto found = accumulators.find(counts_key + name);
        if (found != accumulators.end()) part = found->second;
      },
      counts);
  if (plan_.shares > 1) keep_own_phases(counts.phases);
  if (!rows_of_energies_.empty()) {
    if (counts.energies.empty()) return refuse_counts();
    keep_own_energies(counts.energies);
  }
  try {
    observer_->restore(counts);  // on all ranks, so that all find the same error
  } catch (const std::invalid_argument&) {
    refuse_counts();
  }
  if (communicator_.is_root()) return;
  for_each_count(
      [&](const char*, std::vector<std::int64_t>& part) {
        const bool is_shared = plan_.shares > 1 && &part == &counts.phases;
        if (!is_shared) std::fill(part.begin(), part.end(), 0);
      },
      counts);
  observer_->restore(counts);
}

}  // namespace nfold::ensemble
