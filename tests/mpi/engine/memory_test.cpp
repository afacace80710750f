// Memory of engines on each rank against the estimate, array by array.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <string>
#include <vector>

#include "domain/counted_work.hpp"
#include "domain/space_partition.hpp"
#include "engine/engine_memory.hpp"
#include "engine/rank_counts.hpp"
#include "support/condensates.hpp"
#include "support/estimated_arrays.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"
#include "support/tabulated_condensates.hpp"

namespace nfold::engine {
namespace {

const auto* const scope = test::start_kokkos();

struct Case {
  std::string name;
  topology::Topology topology;
};

/// Box of chains with 11,700 residues.
topology::Topology large_condensate(topology::ShortRangeForm form) {
  auto t = test::condensate(
      {.form = form,
       .shifted = form != topology::ShortRangeForm::wang_frenkel,
       .cutoff_over_sigma = form == topology::ShortRangeForm::wang_frenkel ? 3.0 : 0.0,
       .box = {{5.2, 34.8, 32.6}},
       .rows = 30,
       .layers = 30});
  return t;
}

std::vector<Case> cases() {
  using Form = topology::ShortRangeForm;
  std::vector<Case> all;
  all.push_back({"go", test::ubiquitin(125)});
  all.push_back(
      {"go, Gaussian contacts", test::ubiquitin(125, system::ContactPotential::gaussian)});
  all.push_back({"Ashbaugh-Hatch", large_condensate(Form::ashbaugh_hatch)});
  all.push_back({"Wang-Frenkel", large_condensate(Form::wang_frenkel)});
  all.push_back({"Kim-Hummer", large_condensate(Form::kim_hummer)});
  all.push_back({"tabulated", test::tabulated(large_condensate(Form::ashbaugh_hatch),
                                              test::TabulatedPairKind::sites,
                                              test::TabulatedChargeKind::types)});
  auto angled = large_condensate(Form::ashbaugh_hatch);
  for (int i = 2; i < angled.residue_count(); ++i) {
    if (i % 13 < 2) continue;
    topology::TabulatedAngle angle{i - 2, i - 1, i, 1.0, 0.2, 1.0, 2.8, 100, {}, {}};
    angled.tabulated_angles.push_back(angle);
  }
  all.push_back({"tabulated angles", std::move(angled)});
  all.push_back({"local pairs", test::strands(8, 30, 30)});
  auto neutral = large_condensate(Form::ashbaugh_hatch);
  neutral.electrostatics = {};
  all.push_back({"without charges", std::move(neutral)});
  return all;
}

void expect_estimated(const Case& one, Precision precision, bool by_space) {
  const auto world = comm::Communicator::world();
  const auto& topology = one.topology;
  const auto state = test::shaken_native(topology, 0.01, 3);
  EngineSettings settings;
  settings.precision = precision;
  settings.time_step_ps = 1e-4;
  const auto work = domain::counted_work(topology);
  const auto owner =
      by_space ? domain::recursive_bisection(topology.box, state.position, work, world.size())
               : domain::residue_ranges(work, world.size());
  const auto counts = count_ranks({topology, state, settings}, owner, world.size());
  const auto& own = counts[static_cast<std::size_t>(world.rank())];
  auto estimate = engine_memory(topology, settings, own);
  add_device_snapshot(estimate, own);
  device::forget_device_peaks();
  Engine engine(world, topology, settings, state, owner);
  engine.advance(5);
  (void)engine.energies();
  (void)engine.minimise({2, 1});
  (void)engine.owned_forces();
  const auto expected = engine.owned_state();
  const auto snapshot = engine.snapshot_state();
  EXPECT_TRUE(snapshot.had_capacity);
  engine.advance(5);
  const auto fetched = std::async(std::launch::async, [&snapshot] {
                         const auto kept = snapshot.fetch();
                         system::State rows;
                         const auto half = kept.id.size() / 2;
                         kept.append_to(rows, 0, half);
                         kept.append_to(rows, half, kept.id.size());
                         return rows;
                       }).get();
  EXPECT_EQ(fetched.id, expected.id);
  EXPECT_EQ(fetched.position, expected.position);
  EXPECT_EQ(fetched.velocity, expected.velocity);
  EXPECT_NE(engine.owned_state().position, expected.position);
  test::expect_estimated(estimate, one.name + (by_space ? ", by space" : ", by ranges"));
}

TEST(EngineMemory, MatchesEstimateForEveryModel) {
  for (const auto& one : cases()) expect_estimated(one, Precision::mixed, true);
}
TEST(EngineMemory, MatchesEstimateInDoublePrecision) {
  expect_estimated({"go", test::ubiquitin(125)}, Precision::full, true);
  expect_estimated({"Ashbaugh-Hatch", large_condensate(topology::ShortRangeForm::ashbaugh_hatch)},
                   Precision::full, true);
}
TEST(EngineMemory, MatchesEstimateForResidueRanges) {
  expect_estimated({"go", test::ubiquitin(125)}, Precision::mixed, false);
}
TEST(EngineMemory, MatchesEstimateWithABias) {
  auto topology = test::ubiquitin(125);
  bias::Bias bias;
  bias.variable.kind = bias::VariableKind::radius_of_gyration;
  for (int i = 0; i < topology.residue_count(); ++i) bias.variable.residues.push_back(i);
  bias.k = 10;
  topology.biases.push_back(bias);
  expect_estimated({"go with a bias", std::move(topology)}, Precision::mixed, true);
}

/// A GPU holds the prepared partition beside the present one until residues have migrated; on a CPU
/// the prepared partition is in host memory.
TEST(EngineMemory, MatchesEstimateOfPreparedRepartition) {
  const auto world = comm::Communicator::world();
  const auto topology = large_condensate(topology::ShortRangeForm::ashbaugh_hatch);
  const auto state = test::shaken_native(topology, 0.01, 3);
  const EngineSettings settings;
  const auto owner = domain::recursive_bisection(topology.box, state.position,
                                                 domain::counted_work(topology), world.size());
  const auto counts = count_ranks({topology, state, settings}, owner, world.size());
  device::MemoryEstimate estimate;
  add_prepared_repartition(estimate.in("new map"), settings.precision,
                           counts[static_cast<std::size_t>(world.rank())]);
  Engine engine(world, topology, settings, state, owner);
  engine.advance(2);
  const auto before = device::device_bytes_held();
  auto prepared = std::async(std::launch::async, engine.repartition_preparation(owner)).get();
  const auto estimated = static_cast<double>(estimate.device_bytes());
  EXPECT_EQ(estimated > 0, device::computes_on_gpu());
  EXPECT_NEAR(static_cast<double>(device::device_bytes_held() - before), estimated,
              0.05 * estimated);
  engine.set_owner(std::move(prepared));
  (void)engine.repartition_preparation(owner);  // waits for the thread that frees the old tables
  // The old partition's arrays are freed; the new ghosts may take slightly more.
  const auto most = static_cast<double>(before);
  EXPECT_NEAR(static_cast<double>(device::device_bytes_held()), most, 0.01 * most);
}

/// Counts of a quarter of a box, scaled up, give the estimate of the whole box. CPU only, because a
/// GPU's lists grow by chunks as large as the difference; tests/gpu/memory_cases has large systems.
TEST(EngineMemory, ExtrapolatesFromAPart) {
  const auto make_box = [](int layers) {
    return test::condensate({.box = {{5.2, 9.2, 1.09 * layers}}, .rows = 8, .layers = layers});
  };
  const auto part = make_box(16), whole = make_box(64);
  EngineSettings settings;
  settings.on_gpu = false;
  const auto extrapolated_bytes = [&](const topology::Topology& topology, double times, int ranks) {
    const auto state = test::shaken_native(topology, 0.01, 3);
    const domain::Ownership alone(topology.residues.size(), 0);
    const auto one = count_ranks({topology, state, settings}, alone, 1).front();
    const domain::DensityGrid density(whole.box, whole.box.length_nm,
                                      domain::DensityGrid::Shape::cuboid);
    std::int64_t most = 0;
    for (const auto& counts : extrapolate_rank_counts(
             one, times, density, ghost_ranges(topology, settings), ranks, ranks)) {
      most = std::max(most, engine_memory(topology, settings, counts).device_bytes());
    }
    return most;
  };
  const auto state = test::shaken_native(whole, 0.01, 3);
  const auto work = domain::counted_work(whole);
  for (const int ranks : {1, 2, 4}) {
    const auto owner = domain::recursive_bisection(whole.box, state.position, work, ranks);
    std::int64_t most = 0;
    for (const auto& counts : count_ranks({whole, state, settings}, owner, ranks)) {
      most = std::max(most, engine_memory(whole, settings, counts).device_bytes());
    }
    EXPECT_NEAR(static_cast<double>(extrapolated_bytes(part, 4, ranks)), static_cast<double>(most),
                0.1 * static_cast<double>(most))
        << ranks;
  }
}

}  // namespace
}  // namespace nfold::engine
