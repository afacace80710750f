// Counters on the device and the kernel launches that add to them.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/replica_observer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "engine/forces/pair_potentials.hpp"
#include "engine/forces/residue_terms.hpp"
#include "kernels/resident/phase_locking.hpp"
#include "kernels/resident/replica_contacts.hpp"
#include "kernels/resident/residue_energies.hpp"
#include "replicas/observer_labels.hpp"
#include "replicas/replica_set_resident.hpp"

namespace nfold::replicas {
namespace {

using Counts = device::DeviceArray<std::int64_t>;
using device::ArrayUse;

/// Residues per work item of the chain sizes, if several items share a replica.
constexpr int residues_a_part = 16;
/// Limit of work items per launch, whose index is int.
constexpr std::int64_t most_items = std::int64_t{1} << 30;

/// Returns the number of work items that share an owner's replicas: see
/// kernels/resident/replica_positions.hpp.
int shares_of(std::int64_t owners, std::int64_t wanted) {
  if constexpr (device::on_host) return 1;
  return static_cast<int>(std::clamp<std::int64_t>(
      wanted, 1, std::max<std::int64_t>(1, most_items / std::max<std::int64_t>(1, owners))));
}

}  // namespace

class ReplicaObserver::Counters {
 public:
  Counters(const topology::Topology& topology, const ObserverPlan& plan)
      : plan_(plan),
        residues_(topology.residue_count()),
        chains_(static_cast<int>(topology.chains.size())),
        extents_(count_extents(topology, plan)),
        samples_(static_cast<std::size_t>(extents_.samples)) {
    if (plan.states < 1 || plan.only_state >= plan.states) {
      throw std::invalid_argument("a plan for states that are not there");
    }
    if (plan.contacts) build_contacts(topology);
    if (plan.sizes) build_chains(topology);
    if (plan.phases) build_phases(topology);
    if (plan.residue_energies) build_energies(topology);
    if (plan.has_whole_maps(residues_)) build_pairs();
    const auto all = arrays();
    for_each_count(
        [](const char*, Counts* array, std::int64_t n) {
          if (array != nullptr && n > 0) array->reserve(n);
        },
        all, extents_);
  }

  [[nodiscard]] const ObserverPlan& plan() const { return plan_; }
  /// Reserves what samples of so many replicas need.
  void reserve_samples(std::int64_t replicas) {
    const std::int64_t tasks =
        std::min<std::int64_t>(replicas, replicas / replicas_a_task + plan_.large_tables());
    label_.reserve(3 * (replicas + tasks));
    if (plan_.sizes) reserve_chain_sums(replicas);
    if (plan_.phases) {
      // With shared rows, each observer sums the phases of all replicas: about as many as here for
      // each share.
      const std::int64_t summed = replicas * plan_.shares;
      (void)reserve_phases(summed);
      if (plan_.shares > 1) phase_task_.reserve(3 * summed);
    }
    if (plan_.residue_energies && plan_.shares > 1) energy_bin_.reserve(replicas * residues_);
  }

  void add(const kernels::ReplicaPositions& replicas, const std::vector<ReplicaLabel>& labels) {
    if (labels.size() != static_cast<std::size_t>(replicas.replicas)) {
      throw std::invalid_argument("labels of another number of replicas");
    }
    for (const auto& label : labels) {
      ++samples_.at(static_cast<std::size_t>(label.state) *
                        static_cast<std::size_t>(ObserverPlan::q_bins) +
                    static_cast<std::size_t>(label.q_bin));
    }
    const auto words = labels_for(labels, plan_);
    label_.upload(words.words);
    if (plan_.contacts && contacts_ > 0) count_contacts(replicas);
    if (plan_.sizes) count_sizes(replicas);
    if (plan_.phases && phases_ > 1) add_phases(replicas, words);
    if (plan_.residue_energies) {
      const auto n = static_cast<std::size_t>(replicas.replicas);
      count_energies(replicas, std::span(words.words).subspan(n, n));
    }
    if (extents_.near > 0) count_near(replicas);
  }

  [[nodiscard]] ObservedCounts counts() {
    device::fence();
    ObservedCounts all;
    const auto from = arrays();
    for_each_count(
        [](const char*, auto& to, const Counts* array, std::int64_t n) {
          if (array != nullptr && n > 0) to = array->download(n);
        },
        all, from, extents_);
    all.samples = samples_;
    return all;
  }
  void restore(const ObservedCounts& all) {
    for_each_count(
        [](const char*, const auto& values, std::int64_t n) {
          if (std::ssize(values) != n) throw std::invalid_argument("counts of another plan");
        },
        all, extents_);
    samples_ = all.samples;
    const auto to = arrays();
    for_each_count(
        [](const char*, const auto& values, Counts* array) {
          if (array != nullptr && !values.empty()) array->upload(values);
        },
        all, to);
  }

  [[nodiscard]] SampledEnergies take_energies() { return std::exchange(sampled_energies_, {}); }
  [[nodiscard]] SampledPhases take_phases() { return std::exchange(sampled_phases_, {}); }
  void sum_phases(const SampledPhases& phases) {
    const auto slots = phases.table.size();
    if (slots == 0) return;
    const auto rows = reserve_phases(static_cast<std::int64_t>(slots));
    const auto row = static_cast<std::size_t>(rows.row), own = static_cast<std::size_t>(phases_);
    std::vector<std::int32_t> cosine(slots * row, 0), sine(slots * row, 0), tasks;
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const auto from = phases.values.begin() + static_cast<std::ptrdiff_t>(2 * slot * own);
      const auto to = static_cast<std::ptrdiff_t>(slot * row);
      std::copy_n(from, own, cosine.begin() + to);
      std::copy_n(from + phases_, own, sine.begin() + to);
      const auto table = phases.table[slot];
      const bool goes_on =
          !tasks.empty() && tasks[tasks.size() - 3] == table && tasks.back() < replicas_a_task;
      if (!goes_on) tasks.insert(tasks.end(), {table, static_cast<std::int32_t>(slot), 0});
      ++tasks.back();
    }
    cosine_.upload(cosine);
    sine_.upload(sine);
    phase_task_.upload(tasks);
    sum_products({phases_, rows.row, cosine_.data(), sine_.data()}, phase_task_.data(),
                 static_cast<int>(tasks.size() / 3));
  }

 private:
  /// Arrays on the device; null for samples, which are counted on the host.
  [[nodiscard]] PerCount<Counts*> arrays() {
    return {nullptr, &formed_, &size_histogram_, &phase_sum_, &undefined_, &energy_histogram_,
            &near_};
  }

  [[nodiscard]] int pair_count() const { return residues_ * (residues_ - 1) / 2; }
  void build_pairs() {
    std::vector<kernels::NativeContact> pairs;
    pairs.reserve(static_cast<std::size_t>(pair_count()));
    const double squared = plan_.contact_cutoff_nm * plan_.contact_cutoff_nm;
    for (int i = 0; i < residues_; ++i) {
      for (int j = i + 1; j < residues_; ++j) pairs.push_back({i, j, squared});
    }
    pair_.upload(pairs);
  }
  void build_contacts(const topology::Topology& topology) {
    std::vector<kernels::NativeContact> contacts;
    contacts.reserve(static_cast<std::size_t>(topology.contact_count()));
    const auto append = [&contacts](const auto& from) {
      for (const auto& c : from)
        contacts.push_back({c.i, c.j, native_reach_squared(c.distance_nm)});
    };
    append(topology.contacts_12_10);
    append(topology.contacts_gaussian);
    contacts_ = static_cast<int>(contacts.size());
    contact_.upload(contacts);
  }
  void build_chains(const topology::Topology& topology) {
    std::vector<std::int32_t> chain, first;
    chain.reserve(topology.residues.size());
    first.reserve(topology.chains.size() + 1);
    for (const auto& residue : topology.residues) chain.push_back(residue.chain);
    for (const auto& one : topology.chains) first.push_back(one.first);
    first.push_back(residues_);
    chain_.upload(chain);
    chain_first_.upload(first);
  }
  void build_phases(const topology::Topology& topology) {
    const auto residues = phase_residues(topology);
    phases_ = static_cast<int>(residues.size()) + 1;
    phase_residue_.upload({residues.begin(), residues.end()});
  }
  void build_energies(const topology::Topology& topology) {
    if (residues_ > observed_residues_at_most) {
      throw std::invalid_argument(fmt::format("energies of each of {} residues, more than {}",
                                              residues_, observed_residues_at_most));
    }
    if (topology.short_range.form != topology::ShortRangeForm::repulsion_12 ||
        topology.electrostatics.acts() || !topology.restraints.empty()) {
      throw std::invalid_argument("energies of residues in another model than go");
    }
    const auto n = topology.residues.size();
    bonds_.build(topology.bonds, n);
    angles_.build(topology.angles, n);
    dihedrals_.build(topology.dihedrals, n);
    contacts_12_10_.build(topology.contacts_12_10, n);
    contacts_gaussian_.build(topology.contacts_gaussian, n);
    const auto words = (n + 31) / 32;
    std::vector<std::uint32_t> with_all(words), acts;
    for (std::size_t j = 0; j < n; ++j) with_all[j / 32] |= 1U << static_cast<unsigned>(j % 32);
    acts.reserve(n * words);
    for (std::size_t i = 0; i < n; ++i) acts.insert(acts.end(), with_all.begin(), with_all.end());
    const auto flip = [&](std::size_t i, std::size_t j) {
      acts[i * words + j / 32] ^= 1U << static_cast<unsigned>(j % 32);
    };
    for (std::size_t i = 0; i < n; ++i) flip(i, i);
    for (const auto& [i, j] : topology.exclusions) {
      flip(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
      flip(static_cast<std::size_t>(j), static_cast<std::size_t>(i));
    }
    acts_.upload(acts);
    const auto& s = topology.short_range;
    repulsion_ = {s.epsilon_kj_mol, 12 * s.epsilon_kj_mol, s.sigma_nm * s.sigma_nm,
                  s.cutoff_nm * s.cutoff_nm};
  }

  [[nodiscard]] const std::int32_t* label(int column, int replicas) const {
    return label_.data() + static_cast<std::int64_t>(column) * replicas;
  }

  void count_contacts(const kernels::ReplicaPositions& replicas) {
    const int shares = shares_of(contacts_, replicas.replicas);
    device::launch("contacts of replicas", contacts_ * shares,
                   kernels::CountContacts{replicas, label(0, replicas.replicas), contact_.data(),
                                          contacts_, shares, formed_.data()});
  }
  void count_near(const kernels::ReplicaPositions& replicas) {
    const int pairs = pair_count();
    const int shares = shares_of(pairs, replicas.replicas);
    device::launch("near pairs of replicas", pairs * shares,
                   kernels::CountContacts{replicas, label(1, replicas.replicas), pair_.data(),
                                          pairs, shares, near_.data()});
  }
  void reserve_chain_sums(std::int64_t replicas) {
    chain_sum_.reserve(replicas * chains_ * kernels::ChainSum::count);
  }
  void count_sizes(const kernels::ReplicaPositions& replicas) {
    const int n = replicas.replicas;
    reserve_chain_sums(n);
    const int parts = shares_of(n, (residues_ + residues_a_part - 1) / residues_a_part);
    device::launch("places in chains", n * parts,
                   kernels::SumChainPositions{replicas, chain_.data(), chain_first_.data(), parts,
                                              chain_sum_.data()});
    const int shares = shares_of(1, n);
    device::launch("sizes of replicas", shares,
                   kernels::CountChainSizes{replicas, label(0, n), chain_first_.data(), chains_,
                                            shares, ObserverPlan::size_bins,
                                            ObserverPlan::size_bins / plan_.largest_size_nm,
                                            chain_sum_.data(), size_histogram_.data()});
  }
  void add_phases(const kernels::ReplicaPositions& replicas, const SampleLabels& words) {
    const auto rows = reserve_phases(replicas.replicas);
    const int shares = shares_of(phases_ - 1, replicas.replicas);
    device::launch(
        "phases of replicas", (phases_ - 1) * shares,
        kernels::ComputePhases{replicas, phase_residue_.data(), label(2, replicas.replicas),
                               label(1, replicas.replicas), shares, rows, undefined_.data()});
    if (plan_.shares > 1) {
      keep_phases(rows, words);
    } else if (words.tasks > 0) {
      sum_products(rows, label(3, replicas.replicas), words.tasks);
    }
  }
  [[nodiscard]] kernels::PhaseRows reserve_phases(std::int64_t replicas) {
    const int row = kernels::padded(phases_);
    cosine_.reserve(replicas * row);
    sine_.reserve(replicas * row);
    return {phases_, row, cosine_.data(), sine_.data()};
  }
  void keep_phases(const kernels::PhaseRows& rows, const SampleLabels& words) {
    sampled_phases_.table.assign(static_cast<std::size_t>(words.slots), 0);
    for (std::size_t task = 3 * static_cast<std::size_t>(words.replicas); task < words.words.size();
         task += 3) {
      const auto first = sampled_phases_.table.begin() + words.words[task + 1];
      std::fill_n(first, words.words[task + 2], words.words[task]);
    }
    sampled_phases_.values.clear();
    if (words.slots == 0) return;
    device::fence();
    const auto cosine = cosine_.download(std::int64_t{words.slots} * rows.row);
    const auto sine = sine_.download(std::int64_t{words.slots} * rows.row);
    for (int slot = 0; slot < words.slots; ++slot) {
      for (const auto* const from : {&cosine, &sine}) {
        const auto first = from->begin() + static_cast<std::ptrdiff_t>(slot) * rows.row;
        sampled_phases_.values.insert(sampled_phases_.values.end(), first, first + phases_);
      }
    }
  }
  void sum_products(const kernels::PhaseRows& rows, const std::int32_t* tasks, int count) {
    static_assert(sizeof(kernels::PhaseTask) == 3 * sizeof(std::int32_t));
    const auto kept = share_phase_rows(phases_, plan_.share, plan_.shares);
    kernels::SumPhaseProducts sum{rows,      nullptr,          count, 1, kept.first,
                                  kept.last, phase_sum_.data()};
    sum.task = reinterpret_cast<const kernels::PhaseTask*>(tasks);
    if (sum.owners() == 0) return;
    sum.shares = shares_of(sum.owners(), count);
    device::launch("products of phases", sum.owners() * sum.shares, sum);
  }
  void count_energies(const kernels::ReplicaPositions& replicas,
                      std::span<const std::int32_t> tables) {
    const int n = replicas.replicas;
    if (plan_.shares > 1) energy_bin_.reserve(static_cast<std::int64_t>(n) * residues_);
    const int shares = shares_of(residues_, replicas.replicas);
    device::launch(
        "energies of residues", residues_ * shares,
        kernels::CountResidueEnergies{
            replicas, bonds_.read(), angles_.read(), dihedrals_.read(), contacts_12_10_.read(),
            contacts_gaussian_.read(), repulsion_, acts_.data(), (residues_ + 31) / 32,
            label(1, replicas.replicas), shares, ObserverPlan::energy_bins,
            plan_.lowest_energy_kj_mol,
            ObserverPlan::energy_bins / (plan_.highest_energy_kj_mol - plan_.lowest_energy_kj_mol),
            energy_histogram_.data(), plan_.shares > 1 ? energy_bin_.data() : nullptr});
    if (plan_.shares == 1) return;
    device::fence();
    sampled_energies_.bins = energy_bin_.download(static_cast<std::int64_t>(n) * residues_);
    sampled_energies_.table.assign(tables.begin(), tables.end());
  }

  ObserverPlan plan_;
  int residues_, chains_, contacts_ = 0, phases_ = 0;
  PerCount<std::int64_t> extents_;
  std::vector<std::int64_t> samples_;  // (states, Q bins)
  device::DeviceArray<std::int32_t> label_{"observer.labels"};
  device::DeviceArray<kernels::NativeContact> contact_{"observer.contacts", ArrayUse::contact_maps};
  Counts formed_{"observer.formed", ArrayUse::contact_maps};
  device::DeviceArray<kernels::NativeContact> pair_{"observer.all_pairs", ArrayUse::contact_maps};
  Counts near_{"observer.near", ArrayUse::contact_maps};
  device::DeviceArray<std::int32_t> chain_{"observer.chain"}, chain_first_{"observer.chain_first"};
  Counts chain_sum_{"observer.chain_sums"},
      size_histogram_{"observer.sizes", ArrayUse::accumulators};
  device::DeviceArray<std::int32_t> phase_residue_{"observer.phase_residues"};
  device::DeviceArray<std::int32_t> cosine_{"observer.cosines", ArrayUse::phase_rows},
      sine_{"observer.sines", ArrayUse::phase_rows};
  device::DeviceArray<std::int32_t> phase_task_{"observer.phase_tasks"};
  SampledPhases sampled_phases_;
  Counts phase_sum_{"observer.phases", ArrayUse::accumulators},
      undefined_{"observer.undefined_phases", ArrayUse::accumulators};
  forces::ResidueTermTable<kernels::Bond> bonds_{"observer.bonds"};
  forces::ResidueTermTable<kernels::Angle> angles_{"observer.angles"};
  forces::ResidueTermTable<kernels::Dihedral> dihedrals_{"observer.dihedrals"};
  forces::ResidueTermTable<kernels::Contact1210> contacts_12_10_{"observer.contacts_12_10"};
  forces::ResidueTermTable<kernels::ContactGaussian> contacts_gaussian_{
      "observer.contacts_gaussian"};
  device::DeviceArray<std::uint32_t> acts_{"observer.pairs"};
  kernels::Repulsion12<double> repulsion_{};
  Counts energy_histogram_{"observer.energies", ArrayUse::accumulators};
  device::DeviceArray<std::int32_t> energy_bin_{"observer.energy_bins", ArrayUse::samples};
  SampledEnergies sampled_energies_;
};

void ReplicaObserver::estimate(device::MemoryEstimate& estimate, const topology::Topology& topology,
                               const ObserverPlan& plan, std::int64_t replicas) {
  estimate.in("what is counted").count([&] { Counters(topology, plan).reserve_samples(replicas); });
}

ReplicaObserver::ReplicaObserver(const topology::Topology& topology, const ObserverPlan& plan)
    : counters_(std::make_unique<Counters>(topology, plan)) {}
ReplicaObserver::~ReplicaObserver() = default;
ReplicaObserver::ReplicaObserver(ReplicaObserver&&) noexcept = default;
ReplicaObserver& ReplicaObserver::operator=(ReplicaObserver&&) noexcept = default;

const ObserverPlan& ReplicaObserver::plan() const { return counters_->plan(); }
ObservedCounts ReplicaObserver::counts() const { return counters_->counts(); }
void ReplicaObserver::restore(const ObservedCounts& counts) { counters_->restore(counts); }
SampledPhases ReplicaObserver::take_phases() { return counters_->take_phases(); }
SampledEnergies ReplicaObserver::take_energies() { return counters_->take_energies(); }
void ReplicaObserver::sum_phases(const SampledPhases& phases) { counters_->sum_phases(phases); }
void ReplicaObserver::add(const kernels::ReplicaPositions& replicas,
                          const std::vector<ReplicaLabel>& labels) {
  counters_->add(replicas, labels);
}

}  // namespace nfold::replicas
