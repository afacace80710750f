// Memory of replica sets and their observers against the estimate, array by array.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "device/compute_environment.hpp"
#include "engine/engine_memory.hpp"
#include "engine/rank_counts.hpp"
#include "replicas/replica_set.hpp"
#include "support/engines.hpp"
#include "support/estimated_arrays.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"

namespace nfold::replicas {
namespace {

const auto* const scope = test::start_kokkos();

/// Uses a set as an ensemble does: steps, energies, a sample, new states.
void expect_estimated(const topology::Topology& topology, ReplicaForm form,
                      const bias::Variable& umbrella, int size) {
  const auto settings = test::settings_of_go();
  const ReplicaSetOptions options{.form = form, .umbrella = umbrella};
  std::vector<ReplicaStart> starts;
  std::vector<system::ThermodynamicState> states;
  for (int k = 0; k < size; ++k) {
    states.push_back({.temperature_kelvin = 100.0 + k});
    starts.push_back({static_cast<std::uint32_t>(k), states.back(),
                      test::shaken_native(topology, 0.01, static_cast<std::uint32_t>(k))});
  }
  const domain::Ownership owner(topology.residues.size(), 0);
  const auto counts =
      engine::count_ranks({topology, starts.front().state, settings}, owner, 1).front();
  device::MemoryEstimate estimate;
  estimate_replicas(estimate, topology, settings, options, {size, device::thread_count(), true},
                    engine::engine_memory(topology, settings, counts));
  ObserverPlan observed;
  observed.states = 2;
  observed.contacts = observed.sizes = observed.phases = observed.residue_energies =
      observed.contact_maps = true;
  ReplicaObserver::estimate(estimate, topology, observed, size);

  device::forget_device_peaks();
  {
    ReplicaObserver observer(topology, observed);
    ReplicaSet replicas(topology, settings, starts, options);
    replicas.advance(20);
    (void)replicas.energies();
    replicas.observe(observer, std::vector<ReplicaLabel>(static_cast<std::size_t>(size)));
    std::rotate(states.begin(), states.begin() + 1, states.end());
    replicas.set_states(states);
    replicas.advance(20);
    (void)replicas.states();
    (void)replicas.state(0);
  }
  test::expect_estimated(estimate, form == ReplicaForm::resident ? "resident" : "engines");
}

TEST(ReplicaMemory, ResidentSetMatchesEstimate) {
  expect_estimated(test::ubiquitin(), ReplicaForm::resident, {}, 40);
  expect_estimated(test::ubiquitin(1, system::ContactPotential::gaussian), ReplicaForm::resident,
                   {bias::VariableKind::distance, {0, 75}}, 17);
}
TEST(ReplicaMemory, EnginesMatchEstimate) {
  expect_estimated(test::ubiquitin(), ReplicaForm::engines, {}, 24);
}

/// Returns the counts of samples of replicas, with arrays of the first `uses` in host memory.
ObservedCounts observed_counts(ReplicaForm form, std::size_t uses) {
  constexpr int size = 24;
  const auto topology = test::ubiquitin();
  std::vector<ReplicaStart> starts;
  for (int k = 0; k < size; ++k) {
    starts.push_back({static_cast<std::uint32_t>(k),
                      {.temperature_kelvin = 100.0 + k},
                      test::shaken_native(topology, 0.01, static_cast<std::uint32_t>(k))});
  }
  ObserverPlan plan;
  plan.states = 2;
  plan.contacts = plan.sizes = plan.phases = plan.residue_energies = plan.contact_maps = true;
  device::set_moved_uses(uses);
  ReplicaObserver observer(topology, plan);
  ReplicaSet replicas(topology, test::settings_of_go(), starts, {.form = form});
  for (int sample = 0; sample < 3; ++sample) {
    replicas.advance(20);
    (void)replicas.energies();
    replicas.observe(observer, std::vector<ReplicaLabel>(static_cast<std::size_t>(size)));
  }
  device::set_moved_uses(0);
  return observer.counts();
}

TEST(ReplicaMemory, MovedArraysChangeNoCount) {
  for (const auto form : {ReplicaForm::resident, ReplicaForm::engines}) {
    const auto expected = observed_counts(form, 0);
    const auto moved = observed_counts(form, device::moving_order.size());
    for_each_count(
        [](const char* name, const auto& a, const auto& b) { EXPECT_TRUE(a == b) << name; },
        expected, moved);
    EXPECT_GT(std::accumulate(expected.contacts.begin(), expected.contacts.end(), std::int64_t{0}),
              0);
  }
}

}  // namespace
}  // namespace nfold::replicas
