// Small systems shared by tests of forces and of bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "model/structure/structure.hpp"
#include "model/topology/aicg_domains.hpp"
#include "model/topology/go_model.hpp"
#include "system/state.hpp"

namespace nfold::test {

/// Chains of 1UBQ; parts as ResidueFinder takes them.
inline structure::Structure ubiquitin_structure(const std::vector<std::string>& parts = {}) {
  const char* const elsewhere = std::getenv("NFOLD_INPUT_DIR");  // a binary carried to another host
  const std::string input = elsewhere != nullptr ? elsewhere : NFOLD_INPUT_DIR;
  return structure::read_structure(input + "/structures/1ubq.pdb.gz", {1, parts});
}

/// `go-ubq` of design.md: 1UBQ, 190 contacts (C-alpha, 0.857 nm), mass 100, repulsion cut at 0.8
/// nm.
inline topology::Topology ubiquitin(
    int copies = 1,
    system::ContactPotential potential = system::ContactPotential::lennard_jones_12_10,
    const std::vector<std::string>& parts = {}) {
  topology::GoModel model;
  model.mass_amu = 100;
  model.contacts.map = system::ContactMap::calpha;
  model.contacts.cutoff_nm = 0.857;
  model.repulsion_cutoff_nm = 0.8;
  model.contact_potential = potential;
  model.copies = copies;
  model.copy_spacing_nm = copies > 1 ? 3.2 : 0;  // neighbours touch
  return topology::build_go_model(ubiquitin_structure(parts), model);
}

/// Ubiquitin held by the terms of AICG2+, with a free tail.
inline topology::Topology aicg_ubiquitin() {
  auto t = ubiquitin();
  t.angles.clear();
  t.dihedrals.clear();
  t.contacts_12_10.clear();
  for (auto& residue : t.residues.items()) residue.domain = residue.number <= 70 ? 0 : -1;
  topology::add_aicg_domains(t, ubiquitin_structure());
  topology::sort_exclusions(t);
  return t;
}

/// First 17 residues of ubiquitin.
inline topology::Topology hairpin(
    system::ContactPotential potential = system::ContactPotential::lennard_jones_12_10) {
  return ubiquitin(1, potential, {"A:1-17"});
}

/// Native coordinates shaken by up to `shake_nm`, on the grid of mixed precision, with small
/// velocities.
inline system::State shaken_native(const topology::Topology& topology, double shake_nm,
                                   std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto next = [&] { return static_cast<double>(random()) * 0x1p-31 - 1; };
  system::State state;
  for (int i = 0; i < topology.residue_count(); ++i) {
    system::FixedPosition position{};
    system::Velocity velocity{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double x = topology.native_nm[static_cast<std::size_t>(i)][axis] + shake_nm * next();
      position[axis] = topology.box.to_coarse_counts(axis, x);
      velocity[axis] = 0.1 * next();
    }
    state.id.push_back(i);
    state.position.push_back(position);
    state.velocity.push_back(velocity);
  }
  return state;
}

inline std::vector<std::array<double, 3>> positions_of(const system::Box& box,
                                                       const system::State& state) {
  std::vector<std::array<double, 3>> x;
  x.reserve(state.position.size());
  for (const auto& p : state.position) x.push_back(system::position_nm(box, p));
  return x;
}

}  // namespace nfold::test
