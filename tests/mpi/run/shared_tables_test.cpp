// Residue energies and phase locking summed by all ranks, against plain sums of single terms.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <map>
#include <utility>

#include "analysis/distinct_residues.hpp"
#include "engine/forces/reference.hpp"
#include "replicas/replica_observer.hpp"
#include "session/run/shared_phase_locking.hpp"
#include "session/run/shared_residue_energies.hpp"
#include "shared_sums.hpp"
#include "support/condensates.hpp"
#include "support/kokkos_scope.hpp"
#include "support/random_topology.hpp"

namespace nfold::run {
namespace {

const auto* const scope = test::start_kokkos();

/// Native positions, each displaced slightly.
system::State displaced_native(const topology::Topology& topology, double by_nm, unsigned seed) {
  auto frame = make_frame(topology, {2 * by_nm, 2 * by_nm, 2 * by_nm}, seed);
  for (std::size_t i = 0; i < frame.id.size(); ++i) {
    const auto native = system::coarse_position(topology.box, topology.native_nm[i]);
    for (std::size_t k = 0; k < 3; ++k) frame.position[i][k] += native[k];
  }
  return frame;
}

std::vector<Point> positions_nm(const topology::Topology& topology, const system::State& frame) {
  std::vector<Point> x_nm;
  x_nm.reserve(frame.position.size());
  for (const auto& row : frame.position) x_nm.push_back(system::position_nm(topology.box, row));
  return x_nm;
}

double bonded(const forces::ReferenceForces& found) {
  return found.bond + found.angle + found.dihedral + found.restraint + found.contact;
}

/// (residues) Energies [kJ/mol] from single terms and pairs by the sequential reference; no biases.
std::vector<double> plain_energies(const topology::Topology& topology, const system::State& frame) {
  const auto x_nm = positions_nm(topology, frame);
  std::vector<double> energies(x_nm.size(), 0);
  topology::Topology one = topology;
  topology::BondedKinds::for_each([&](auto kind) { (one.*decltype(kind)::terms).clear(); });
  one.electrostatics.coulomb_kj_mol_nm = 0;
  topology::BondedKinds::for_each([&](auto kind) {
    if (topology::is_bias<decltype(kind)>) return;
    for (const auto& term : topology::terms_of(topology, kind)) {
      one.*decltype(kind)::terms = {term};
      const auto& ends = term.parts().residues;
      const double share = bonded(forces::reference_forces(one, x_nm)) / double(ends.size());
      for (const int end : ends) energies[static_cast<std::size_t>(end)] += share;
    }
    (one.*decltype(kind)::terms).clear();
  });
  topology::Topology two;
  two.chains = topology.chains;  // for the names in the result
  two.box = topology.box;
  two.short_range = topology.short_range;
  two.electrostatics = topology.electrostatics;
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    for (std::size_t j = i + 1; j < x_nm.size(); ++j) {
      const std::pair pair(static_cast<int>(i), static_cast<int>(j));
      if (std::ranges::binary_search(topology.exclusions, pair)) continue;
      two.residues = {topology.residues[i], topology.residues[j]};
      const auto found = forces::reference_forces(two, {x_nm[i], x_nm[j]});
      for (const auto end : {i, j}) energies[end] += (found.short_range + found.electrostatic) / 2;
    }
  }
  return energies;
}

class SharedTables : public SharedSumsTest {
 protected:
  void expect_energies(const topology::Topology& topology, double by_nm) const {
    std::vector<system::State> frames;
    for (unsigned f = 0; f < 3; ++f) frames.push_back(displaced_native(topology, by_nm, 60 + f));
    const auto words = sums_on_any_ranks(
        [&](const comm::Communicator& ranks) {
          return make_residue_energies(ranks, topology, 300);
        },
        frames);
    if (!world.is_root()) return;
    const auto results = make_residue_energies(comm::Communicator(), topology, 300)->results(words);
    const auto& edges = find(results, "residue_energy/edges").values;
    const auto& count = *find(results, "residue_energy/count").counts;
    const auto bins = edges.size() - 1;
    const analysis::DistinctResidues rows(topology);
    Words expected(static_cast<std::size_t>(rows.count()) * bins, 0);
    std::int64_t inside = 0;
    for (const auto& frame : frames) {
      const auto energies = plain_energies(topology, frame);
      for (std::size_t i = 0; i < energies.size(); ++i) {
        const auto above = std::ranges::upper_bound(edges, energies[i]) - edges.begin() - 1;
        const auto bin = std::clamp<std::ptrdiff_t>(above, 0, std::ptrdiff_t(bins) - 1);
        if (above == bin) ++inside;
        ++expected[static_cast<std::size_t>(rows.row_of(static_cast<int>(i))) * bins +
                   static_cast<std::size_t>(bin)];
      }
    }
    EXPECT_EQ(count, expected);
    // A third of the energies or more lies within the edges.
    EXPECT_GT(inside, static_cast<std::int64_t>(topology.residues.size()));
  }
};

TEST_F(SharedTables, EnergiesMatchPlainSumsInCondensates) {
  // Few layers, because the reference computes each pair separately.
  for (const bool only_repel : {false, true}) {
    expect_energies(
        test::condensate({.domains_only_repel = only_repel, .box = {{5.2, 4.8, 4.6}}, .layers = 4}),
        0.03);
  }
}

TEST_F(SharedTables, EnergiesMatchPlainSumsForEveryTerm) {
  auto topology = testing_support::random_topology(60, 90, 5);
  for (std::size_t i = 0; i < topology.native_nm.size(); ++i) {
    const double turn = 1.7 * static_cast<double>(i);
    topology.native_nm.items()[i] = {0.15 * static_cast<double>(i), 0.23 * std::cos(turn),
                                     0.23 * std::sin(turn)};
  }
  topology.short_range.epsilon_kj_mol = 1;
  // Soft terms, because the positions are arbitrary.
  for (auto& bond : topology.bonds.items()) bond.k_kj_mol_nm2 = 50;
  for (auto& spring : topology.restraints.items()) spring.k_kj_mol_nm2 = 20;
  for (auto& angle : topology.angles.items()) angle.k_kj_mol_rad2 = 2;
  topology::BondedKinds::for_each(
      [&](auto kind) { EXPECT_FALSE(topology::terms_of(topology, kind).empty()); });
  expect_energies(topology, 0.01);
}

TEST_F(SharedTables, PhaseLockingMatchesPlainSums) {
  const auto topology = make_chains({{2, 40}, {1, 3}, {1, 30}}, {0, 0, 0});
  std::vector<system::State> frames;
  for (unsigned f = 0; f < 6; ++f) frames.push_back(make_frame(topology, {3, 4, 5}, 80 + f));
  // The end of the last chain is straight: collinear residues have no phase.
  for (auto& frame : frames) {
    for (int k = 0; k < 4; ++k) {
      const auto position = system::coarse_position(topology.box, {0.4 * k, 1, 1});
      frame.position[frame.position.size() - 4 + static_cast<std::size_t>(k)] = position;
    }
  }
  const auto words = sums_on_any_ranks(
      [&](const comm::Communicator& ranks) { return make_phase_locking(ranks, topology); }, frames);
  if (!world.is_root()) return;
  const auto results = make_phase_locking(comm::Communicator(), topology)->results(words);
  std::vector<int> second;
  for (const auto& chain : topology.chains) {
    for (int i = 1; i + 2 < chain.count; ++i) second.push_back(chain.first + i);
  }
  const auto n = second.size();
  using Whole = std::vector<std::int64_t>;
  EXPECT_EQ(find(results, "phase_locking/residue").counts, Whole(second.begin(), second.end()));
  EXPECT_EQ(find(results, "phase_locking/samples").counts, Whole{6});
  Whole undefined(n, 0);
  undefined[n - 2] = undefined[n - 1] = 6;
  EXPECT_EQ(find(results, "phase_locking/undefined").counts, undefined);

  using Complex = std::complex<double>;
  std::vector<std::vector<Complex>> z;
  for (const auto& frame : frames) {
    const auto x = positions_nm(topology, frame);
    auto& frame_phases = z.emplace_back();
    for (const int i : second) {
      const auto first = x.begin() + (i - 1);
      const auto difference = [](const Point& a, const Point& b) {
        return Point{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
      };
      const auto cross = [](const Point& a, const Point& b) {
        return Point{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]};
      };
      const auto dot = [](const Point& a, const Point& b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      };
      const Point b1 = difference(first[0], first[1]), b2 = difference(first[1], first[2]),
                  b3 = difference(first[2], first[3]);
      const Point n1 = cross(b1, b2), n2 = cross(b2, b3);
      const double theta = std::atan2(std::sqrt(dot(b2, b2)) * dot(b1, n2), dot(n1, n2));
      frame_phases.push_back(std::polar(1.0, theta));
    }
    frame_phases[n - 2] = frame_phases[n - 1] = 0;
  }
  const auto &cosine = find(results, "phase_locking/cosine").values,
             &sine = find(results, "phase_locking/sine").values,
             &sum_cosine = find(results, "phase_locking/sum_cosine").values,
             &sum_sine = find(results, "phase_locking/sum_sine").values,
             &order_cosine = find(results, "phase_locking/order_cosine").values;
  std::size_t pair = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Complex order = 0;
    for (const auto& frame_phases : z) order += frame_phases[i] / 6.0;
    EXPECT_NEAR(order_cosine[i], order.real(), 2e-5);
    for (std::size_t j = i; j < n; ++j, ++pair) {
      Complex locked = 0, summed = 0;
      for (const auto& frame_phases : z) {
        locked += frame_phases[i] * std::conj(frame_phases[j]) / 6.0;
        summed += frame_phases[i] * frame_phases[j] / 6.0;
      }
      EXPECT_NEAR(cosine[pair], locked.real(), 3e-5);
      EXPECT_NEAR(sine[pair], locked.imag(), 3e-5);
      EXPECT_NEAR(sum_cosine[pair], summed.real(), 3e-5);
      EXPECT_NEAR(sum_sine[pair], summed.imag(), 3e-5);
    }
  }
  EXPECT_EQ(cosine.size(), pair);
}

TEST_F(SharedTables, ShortChainsHaveNoPhases) {
  EXPECT_EQ(make_phase_locking(world, make_chains({{5, 3}}, {0, 0, 0})), nullptr);
}

}  // namespace
}  // namespace nfold::run
