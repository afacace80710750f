// Sums over threads and ranks that exceed int64, and their conversion to double.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/forces/exact_totals.hpp"

#include <gtest/gtest.h>

#include <cfloat>
#include <limits>
#include <random>

#include "device/launch.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::forces {
namespace {

const auto* const scope = test::start_kokkos();

using kernels::ExactSum;
using kernels::ExactSums;

constexpr int residues = 100'000;
/// Energy of one residue. The sum of all, 8.6e9 kJ/mol, is four times the range of int64 counts.
constexpr double energy_kj_mol = 0x1.5p16;

/// Work item: one residue of this rank.
struct LargeEnergies {
  using Sums = ExactSums<3>;
  int first;
  NFOLD_FUNCTION void operator()(int row, Sums& sums) const {
    const int id = first + row;
    sums.add_energy(0, energy_kj_mol + 0x1p-32 * id);
    sums.add_energy(1, -energy_kj_mol);
    sums.add_energy(2, id % 2 == 0 ? energy_kj_mol : -energy_kj_mol);
    if (id == residues / 2) sums.add_energy(2, 1e9);
  }
};

TEST(ExactTotals, DoNotWrapOnAnyRankCount) {
  const auto world = comm::Communicator::world();
  const int first = residues * world.rank() / world.size();
  const int end = residues * (world.rank() + 1) / world.size();
  auto sums = device::sum_over("large energies", end - first, LargeEnergies{first});
  sum_ranks(world, sums);

  // 0x1.5p16 = 21 * 2^12 kJ/mol, in counts 21 * 2^44.
  ExactSum expected;
  for (int k = 0; k < residues; ++k) expected += (std::int64_t{21} << 44U) + k;
  EXPECT_GT(expected.high, 0);
  EXPECT_EQ(sums.sum[0], expected);
  EXPECT_EQ(nearest_double(sums.sum[1]) / kernels::energy_counts, -energy_kj_mol * residues);
  EXPECT_EQ(nearest_double(sums.sum[2]) / kernels::energy_counts, kernels::energy_limit);
  EXPECT_EQ(sums.saturated, 1);
}

TEST(ExactTotals, CarryBetweenQuartersOfAllRanks) {
  const auto world = comm::Communicator::world();
  const auto ranks = static_cast<std::uint64_t>(world.size());
  ExactSums<2> sums;
  sums.sum[0] = {~std::uint64_t{0}, 6};  // 7 * 2^64 - 1
  sums.sum[1] = {0x8000'0000'0000'0001, -1};
  sum_ranks(world, sums);
  EXPECT_EQ(sums.sum[0],
            (ExactSum{std::uint64_t{0} - ranks, static_cast<std::int64_t>(7 * ranks - 1)}));
  // ranks * (1 - 2^63)
  ExactSum expected;
  for (int k = 0; k < world.size(); ++k) expected += -std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(sums.sum[1], expected);
}

TEST(NearestDouble, MatchesConversionOfInt64) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 20'000; ++trial) {
    const auto shift = static_cast<unsigned>(random() % 64);
    const auto value = static_cast<std::int64_t>(random()) >> shift;
    ExactSum sum;
    sum += value;
    ASSERT_EQ(nearest_double(sum), static_cast<double>(value)) << value;
  }
  ExactSum least;
  least += std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(nearest_double(least), -0x1p63);
}

TEST(NearestDouble, RoundsToNearestEvenBeyondInt64) {
  EXPECT_EQ(nearest_double({0, 1}), 0x1p64);
  EXPECT_EQ(nearest_double({0, -1}), -0x1p64);
  EXPECT_EQ(nearest_double({~std::uint64_t{0}, 0}), 0x1p64);
  EXPECT_EQ(nearest_double({0x800, 1}), 0x1p64);  // half of the last bit rounds to even
  EXPECT_EQ(nearest_double({0x801, 1}), 0x1p64 * (1 + DBL_EPSILON));
  EXPECT_EQ(nearest_double({0x1800, 1}), 0x1p64 * (1 + 2 * DBL_EPSILON));
  // Half of the last bit and a single one far below it.
  EXPECT_EQ(nearest_double({1, (std::int64_t{1} << 54U) + 2}), 0x1p64 * (0x1p54 + 4));
  EXPECT_EQ(nearest_double({0, (std::int64_t{1} << 54U) + 2}), 0x1p118);
  EXPECT_EQ(nearest_double({~std::uint64_t{0}, -((std::int64_t{1} << 54U) + 3)}),
            -0x1p64 * (0x1p54 + 4));
}

}  // namespace
}  // namespace nfold::forces
