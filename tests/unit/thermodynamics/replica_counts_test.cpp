// Observables counted over replicas against a plain evaluation, in every form.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "analysis/observables.hpp"
#include "analysis/thermodynamics/phase_matrix.hpp"
#include "device/device_memory.hpp"
#include "model/start/initial_state.hpp"
#include "replicas/replica_observer.hpp"
#include "replicas/replica_set.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"
#include "unit/topology/reference_energy.hpp"

namespace nfold::thermodynamics {
namespace {

using replicas::ObservedCounts;
using replicas::ObserverPlan;
using replicas::ReplicaForm;
using replicas::ReplicaLabel;
using replicas::ReplicaObserver;
using replicas::ReplicaSet;

const auto* const scope = test::start_kokkos();
constexpr int states = 3;

ObserverPlan make_plan(const topology::Topology& topology) {
  replicas::ObserverPlan plan;
  plan.states = states;
  plan.contacts = plan.sizes = plan.phases = plan.residue_energies = plan.contact_maps = true;
  plan.contact_cutoff_nm = 0.93;
  replicas::set_ranges(topology, 130, plan);
  return plan;
}

engine::EngineSettings go_settings() {
  engine::EngineSettings s;
  s.time_step_ps = 0.01;
  s.friction_per_ps = 0.2;
  s.seed = 99;
  return s;
}

std::vector<replicas::ReplicaStart> make_starts(const topology::Topology& topology, int first,
                                                int last) {
  std::vector<replicas::ReplicaStart> starts;
  for (int k = first; k < last; ++k) {
    const auto number = static_cast<std::uint32_t>(k);
    auto state = k % 2 == 1 ? start::unfolded_start(topology, 5 + static_cast<std::uint64_t>(k))
                            : test::shaken_native(topology, 0.01, number);
    start::draw_velocities(topology, 110, 99, number, state);
    starts.push_back({number, {110.0 + k}, state});
  }
  return starts;
}

/// Labels by a replica's number, independent of its owner.
std::vector<replicas::ReplicaLabel> make_labels(ReplicaSet& set, int first, std::int64_t contacts) {
  std::vector<replicas::ReplicaLabel> labels;
  for (const auto& one : set.energies()) {
    const int number = first + static_cast<int>(labels.size());
    labels.push_back({number % states, replicas::to_q_bin(one.formed_contacts, contacts)});
  }
  return labels;
}

std::int64_t contact_count(const topology::Topology& topology) {
  return static_cast<std::int64_t>(replicas::observed_contacts(topology).size());
}

/// Runs replicas first .. last - 1 and observes two samples.
void run_and_observe(const topology::Topology& topology, replicas::ReplicaObserver& observer,
                     int first, int last, ReplicaForm form, int group_size = 0,
                     std::vector<system::State>* seen = nullptr,
                     std::vector<replicas::ReplicaLabel>* labelled = nullptr) {
  ReplicaSet set(topology, go_settings(), make_starts(topology, first, last), {form, group_size});
  for (int sample = 0; sample < 2; ++sample) {
    set.advance(60);
    const auto labels = make_labels(set, first, contact_count(topology));
    set.observe(observer, labels);
    if (seen == nullptr) continue;
    for (int k = 0; k < set.size(); ++k) seen->push_back(set.state(k));
    labelled->insert(labelled->end(), labels.begin(), labels.end());
  }
}

void expect_same(const replicas::ObservedCounts& a, const replicas::ObservedCounts& b,
                 const std::string& what) {
  EXPECT_TRUE(a.samples == b.samples) << what;
  EXPECT_TRUE(a.contacts == b.contacts) << what;
  EXPECT_TRUE(a.sizes == b.sizes) << what;
  EXPECT_TRUE(a.phases == b.phases) << what;
  EXPECT_TRUE(a.undefined == b.undefined) << what;
  EXPECT_TRUE(a.energies == b.energies) << what;
  EXPECT_TRUE(a.near == b.near) << what;
}

/// Plain evaluation of the observables.
struct PlainReading {
  topology::Topology topology;
  std::vector<test::Positions> x;
  std::vector<replicas::ReplicaLabel> label;

  [[nodiscard]] std::vector<double> residue_energies(std::size_t sample) const {
    std::vector<double> e(topology.residues.size());
    const auto add = [&](double energy, std::initializer_list<int> ends) {
      for (const int end : ends) {
        e[static_cast<std::size_t>(end)] += energy / static_cast<double>(ends.size());
      }
    };
    const auto& at = x[sample];
    for (const auto& b : topology.bonds) add(test::energy(b, at), {b.i, b.j});
    for (const auto& a : topology.angles) add(test::energy(a, at), {a.i, a.j, a.k});
    for (const auto& d : topology.dihedrals) add(test::energy(d, at), {d.i, d.j, d.k, d.l});
    for (const auto& c : topology.contacts_12_10) add(test::energy(c, at), {c.i, c.j});
    for (const auto& c : topology.contacts_gaussian) add(test::energy(c, at), {c.i, c.j});
    for (int i = 0; i < topology.residue_count(); ++i) {
      for (int j = i + 1; j < topology.residue_count(); ++j) {
        if (std::binary_search(topology.exclusions.begin(), topology.exclusions.end(),
                               std::pair{i, j})) {
          continue;
        }
        add(test::energy(topology.short_range, test::distance(at, i, j)), {i, j});
      }
    }
    return e;
  }
  [[nodiscard]] double dihedral(std::size_t sample, int second) const {
    topology::Dihedral d{second - 1, second, second + 1, second + 2, 0, 0, 0};
    const auto& at = x[sample];
    const auto position = [&](int i) { return at[static_cast<std::size_t>(i)]; };
    const auto b1 = test::minus(position(d.j), position(d.i)),
               b2 = test::minus(position(d.k), position(d.j)),
               b3 = test::minus(position(d.l), position(d.k));
    const auto n1 = test::cross(b1, b2), n2 = test::cross(b2, b3);
    return std::atan2(std::sqrt(test::dot(b2, b2)) * test::dot(b1, n2), test::dot(n1, n2));
  }
};

void expect_plain_reading(const topology::Topology& topology, int replicas) {
  const auto plan = make_plan(topology);
  replicas::ReplicaObserver observer(topology, plan);
  std::vector<system::State> seen;
  PlainReading plain{topology, {}, {}};
  run_and_observe(topology, observer, 0, replicas, ReplicaForm::automatic, 0, &seen, &plain.label);
  for (const auto& state : seen) {
    auto& x = plain.x.emplace_back();
    for (const auto& p : state.position) {
      std::array<double, 3> nm{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        nm[axis] = std::nearbyint(static_cast<double>(p[axis]) / 4096) * 4096 *
                   topology.box.nm_per_count(axis);
      }
      x.push_back(nm);
    }
  }
  const auto found = observer.counts();

  replicas::ObservedCounts wanted;
  const auto cells = std::size_t{states} * replicas::ObserverPlan::q_bins;
  const auto contacts = static_cast<std::size_t>(contact_count(topology));
  wanted.samples.resize(cells);
  wanted.contacts.resize(cells * contacts);
  wanted.sizes.resize(cells * replicas::ObserverPlan::size_bins);
  wanted.energies.resize(std::size_t{states} * topology.residues.size() *
                         replicas::ObserverPlan::energy_bins);
  const auto pairs = replicas::observed_contacts(topology);
  std::vector<double> reach;
  reach.reserve(contacts);
  for (const auto& c : topology.contacts_12_10) reach.push_back(1.2 * c.distance_nm);
  for (const auto& c : topology.contacts_gaussian) reach.push_back(1.2 * c.distance_nm);
  const std::size_t all_pairs = topology.residues.size() * (topology.residues.size() - 1) / 2;
  wanted.near.resize(states * all_pairs);
  for (std::size_t s = 0; s < plain.x.size(); ++s) {
    const auto state = static_cast<std::size_t>(plain.label[s].state);
    auto pair = state * all_pairs;
    for (int i = 0; i < topology.residue_count(); ++i) {
      for (int j = i + 1; j < topology.residue_count(); ++j, ++pair) {
        if (test::distance(plain.x[s], i, j) <= plan.contact_cutoff_nm) ++wanted.near[pair];
      }
    }
    const auto cell =
        state * replicas::ObserverPlan::q_bins + static_cast<std::size_t>(plain.label[s].q_bin);
    ++wanted.samples[cell];
    for (std::size_t c = 0; c < contacts; ++c) {
      if (test::distance(plain.x[s], pairs[c].i, pairs[c].j) <= reach[c]) {
        ++wanted.contacts[cell * contacts + c];
      }
    }
    const double size = analysis::radii_of_gyration_nm(topology, plain.x[s]).at(0);
    const double size_bin = size / plan.largest_size_nm * replicas::ObserverPlan::size_bins;
    ++wanted.sizes[cell * replicas::ObserverPlan::size_bins +
                   static_cast<std::size_t>(
                       std::min(size_bin, replicas::ObserverPlan::size_bins - 1.0))];
    const auto energy = plain.residue_energies(s);
    for (std::size_t i = 0; i < energy.size(); ++i) {
      const double part = (energy[i] - plan.lowest_energy_kj_mol) /
                          (plan.highest_energy_kj_mol - plan.lowest_energy_kj_mol);
      const double bin = std::clamp(part * replicas::ObserverPlan::energy_bins, 0.0,
                                    replicas::ObserverPlan::energy_bins - 1.0);
      ++wanted.energies[(state * energy.size() + i) * replicas::ObserverPlan::energy_bins +
                        static_cast<std::size_t>(bin)];
    }
  }
  EXPECT_TRUE(found.samples == wanted.samples);
  EXPECT_TRUE(found.contacts == wanted.contacts);
  EXPECT_TRUE(found.sizes == wanted.sizes);
  EXPECT_TRUE(found.energies == wanted.energies);
  EXPECT_TRUE(found.near == wanted.near);
  EXPECT_GT(*std::max_element(found.sizes.begin(), found.sizes.end()), 0);

  const auto residues = replicas::phase_residues(topology);
  const auto phases = static_cast<std::int64_t>(residues.size());
  const auto each = found.phases.size() / states;
  for (int state = 0; state < states; ++state) {
    const auto m = phase_matrix(std::span<const std::int64_t>(found.phases)
                                    .subspan(static_cast<std::size_t>(state) * each, each),
                                phases);
    std::vector<std::vector<std::complex<double>>> z;
    for (std::size_t s = 0; s < plain.x.size(); ++s) {
      if (plain.label[s].state != state) continue;
      auto& row = z.emplace_back();
      for (const int i : residues) row.push_back(std::polar(1.0, plain.dihedral(s, i)));
    }
    ASSERT_EQ(m.samples, static_cast<std::int64_t>(z.size()));
    double worst = 0;
    std::size_t pair = 0;
    for (std::size_t i = 0; i < residues.size(); ++i) {
      std::complex<double> order = 0;
      for (const auto& row : z) order += row[i] / static_cast<double>(z.size());
      worst = std::max(worst, std::abs(order - std::complex(m.order_cosine[i], m.order_sine[i])));
      for (std::size_t j = i; j < residues.size(); ++j, ++pair) {
        std::complex<double> c = 0, d = 0;
        for (const auto& row : z) {
          c += row[i] * std::conj(row[j]) / static_cast<double>(z.size());
          d += row[i] * row[j] / static_cast<double>(z.size());
        }
        worst = std::max(worst, std::abs(c - std::complex(m.cosine[pair], m.sine[pair])));
        worst = std::max(worst, std::abs(d - std::complex(m.sum_cosine[pair], m.sum_sine[pair])));
        if (i == j) {
          EXPECT_NEAR(m.cosine[pair], 1, 2e-5);
          EXPECT_EQ(m.sine[pair], 0);
        }
      }
    }
    EXPECT_LT(worst, 3e-5);
  }
  EXPECT_EQ(std::accumulate(found.undefined.begin(), found.undefined.end(), std::int64_t{0}), 0);
}

TEST(ReplicaCounts, MatchPlainEvaluation) { expect_plain_reading(test::ubiquitin(), 19); }
TEST(ReplicaCounts, GaussianContactsMatchPlainEvaluation) {
  expect_plain_reading(test::ubiquitin(1, system::ContactPotential::gaussian), 4);
}
TEST(ReplicaCounts, SeveralChainsMatchPlainEvaluation) {
  expect_plain_reading(test::ubiquitin(3), 3);
}
TEST(ReplicaCounts, EnginesInABoxMatchPlainEvaluation) {
  auto topology = test::ubiquitin();
  topology.box.length_nm = {31, 32, 33};
  expect_plain_reading(topology, 3);
}

TEST(ReplicaCounts, DoNotDependOnFormAndShape) {
  const auto topology = test::ubiquitin();
  const auto plan = make_plan(topology);
  replicas::ReplicaObserver one(topology, plan);
  run_and_observe(topology, one, 0, 7, ReplicaForm::resident);
  const auto wanted = one.counts();
  replicas::ReplicaObserver engines(topology, plan);
  run_and_observe(topology, engines, 0, 7, ReplicaForm::engines);
  expect_same(engines.counts(), wanted, "engines");
  const bool on_gpu = replicas::build_processor() == replicas::ReplicaProcessor::gpu;
  for (const int size : on_gpu ? std::vector{1, 2, 4, 8, 16, 32} : std::vector{16}) {
    replicas::ReplicaObserver shape(topology, plan);
    run_and_observe(topology, shape, 0, 7, ReplicaForm::resident, size);
    expect_same(shape.counts(), wanted, "groups of " + std::to_string(size));
  }
  // Sum of the counts of several sets.
  replicas::ObservedCounts sum;
  for (const auto& [first, last] : {std::pair{4, 7}, {0, 1}, {1, 4}}) {
    replicas::ReplicaObserver part(topology, plan);
    run_and_observe(topology, part, first, last, ReplicaForm::resident);
    const auto found = part.counts();
    const auto add = [](std::vector<std::int64_t>& to, const std::vector<std::int64_t>& from) {
      to.resize(from.size());
      for (std::size_t k = 0; k < from.size(); ++k) to[k] += from[k];
    };
    add(sum.samples, found.samples);
    add(sum.contacts, found.contacts);
    add(sum.sizes, found.sizes);
    add(sum.phases, found.phases);
    add(sum.undefined, found.undefined);
    add(sum.energies, found.energies);
    add(sum.near, found.near);
  }
  expect_same(sum, wanted, "spread");
}

TEST(ReplicaCounts, RowsOfPhasesMayBeShared) {
  const auto topology = test::ubiquitin();
  auto plan = make_plan(topology);
  replicas::ReplicaObserver whole(topology, plan);
  run_and_observe(topology, whole, 0, 7, ReplicaForm::resident);
  const auto wanted = whole.counts();
  // Each of three observers has some replicas and some rows. They share the phases of a sample.
  plan.shares = 3;
  const std::vector<std::pair<int, int>> owners{{0, 3}, {3, 6}, {6, 7}};
  std::vector<replicas::ReplicaObserver> observers;
  std::vector<ReplicaSet> sets;
  for (const auto& [first, last] : owners) {
    observers.emplace_back(topology, plan);
    sets.emplace_back(topology, go_settings(), make_starts(topology, first, last));
    ++plan.share;
  }
  for (int sample = 0; sample < 2; ++sample) {
    replicas::SampledPhases all;
    for (std::size_t k = 0; k < sets.size(); ++k) {
      sets[k].advance(60);
      sets[k].observe(observers[k], make_labels(sets[k], owners[k].first, contact_count(topology)));
      const auto phases = observers[k].take_phases();
      all.table.insert(all.table.end(), phases.table.begin(), phases.table.end());
      all.values.insert(all.values.end(), phases.values.begin(), phases.values.end());
    }
    for (auto& observer : observers) observer.sum_phases(all);
  }
  const std::size_t parts = std::size_t{4} * states;
  std::vector<std::int64_t> found;
  for (std::size_t part = 0; part < parts; ++part) {
    for (const auto& observer : observers) {
      const auto phases = observer.counts().phases;
      const auto own = static_cast<std::ptrdiff_t>(phases.size() / parts);
      EXPECT_GT(own, 0);
      const auto first = phases.begin() + static_cast<std::ptrdiff_t>(part) * own;
      found.insert(found.end(), first, first + own);
    }
  }
  EXPECT_TRUE(found == wanted.phases);
}

TEST(ReplicaCounts, ContinueFromSavedCounts) {
  const auto topology = test::ubiquitin();
  auto plan = make_plan(topology);
  replicas::ReplicaObserver whole(topology, plan), first(topology, plan), second(topology, plan);
  run_and_observe(topology, whole, 0, 3, ReplicaForm::resident);
  run_and_observe(topology, whole, 0, 2, ReplicaForm::resident);
  run_and_observe(topology, first, 0, 3, ReplicaForm::resident);
  second.restore(first.counts());
  run_and_observe(topology, second, 0, 2, ReplicaForm::resident);
  expect_same(second.counts(), whole.counts(), "saved between");
  plan.sizes = false;
  replicas::ReplicaObserver other(topology, plan);
  EXPECT_THROW(other.restore(first.counts()), std::invalid_argument);
}

TEST(ReplicaCounts, SingleStateTablesMatchThatState) {
  const auto topology = test::ubiquitin();
  auto plan = make_plan(topology);
  replicas::ReplicaObserver all(topology, plan);
  run_and_observe(topology, all, 0, 8, ReplicaForm::resident);
  const auto every = all.counts();
  plan.only_state = 1;
  replicas::ReplicaObserver one(topology, plan);
  run_and_observe(topology, one, 0, 8, ReplicaForm::resident);
  const auto found = one.counts();
  EXPECT_TRUE(found.contacts == every.contacts);
  const auto middle = [](const std::vector<std::int64_t>& table) {
    const auto each = static_cast<std::ptrdiff_t>(table.size()) / states;
    return std::vector<std::int64_t>(table.begin() + each, table.begin() + 2 * each);
  };
  EXPECT_TRUE(found.phases == middle(every.phases));
  EXPECT_TRUE(found.energies == middle(every.energies));
}

TEST(ReplicaCounts, CollinearResiduesHaveNoPhase) {
  const auto topology = test::ubiquitin();
  auto starts = make_starts(topology, 0, 1);
  auto& x = starts[0].state.position;
  for (std::size_t axis = 0; axis < 3; ++axis) x[12][axis] = 2 * x[11][axis] - x[10][axis];
  ReplicaSet set(topology, go_settings(), starts);
  replicas::ReplicaObserver observer(topology, make_plan(topology));
  set.observe(observer, {{0, 49}});
  const auto found = observer.counts();
  const auto residues = replicas::phase_residues(topology);
  for (std::size_t p = 0; p < residues.size(); ++p) {
    // Residues 10, 11 and 12 are the last three, or the first three, of four.
    const bool touched = residues[p] == 10 || residues[p] == 11;
    EXPECT_EQ(found.undefined[p], touched ? 1 : 0) << residues[p];
  }
  const auto phases = static_cast<std::int64_t>(residues.size());
  const auto m = phase_matrix(
      std::span<const std::int64_t>(found.phases).first(found.phases.size() / states), phases);
  EXPECT_EQ(m.samples, 1);
  EXPECT_EQ(m.cosine[static_cast<std::size_t>(replicas::phase_pair_index(9, 9, phases))], 0);
  EXPECT_NEAR(m.cosine[static_cast<std::size_t>(replicas::phase_pair_index(8, 8, phases))], 1,
              2e-5);
}

TEST(ReplicaCounts, MemoryMatchesEstimate) {
  const auto topology = test::ubiquitin();
  const auto plan = make_plan(topology);
  const auto before = device::device_bytes_held();
  replicas::ReplicaObserver observer(topology, plan);
  const auto counts = observer.counts();
  const auto words = counts.samples.size() + counts.contacts.size() + counts.sizes.size() +
                     counts.phases.size() + counts.undefined.size() + counts.energies.size() +
                     counts.near.size();
  EXPECT_EQ(replicas::counted_bytes(topology, plan), static_cast<std::int64_t>(8 * words));
  run_and_observe(topology, observer, 0, 5, ReplicaForm::resident);
  device::MemoryEstimate memory;
  replicas::ReplicaObserver::estimate(memory, topology, plan, 5);
  const auto held = static_cast<double>(device::device_bytes_held() - before);
  EXPECT_NEAR(static_cast<double>(memory.device_bytes()), held, 0.01 * held + 1000);
}

}  // namespace
}  // namespace nfold::thermodynamics
