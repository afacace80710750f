// Comparison of states and energies, bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "engine/engine.hpp"

namespace nfold::test {

inline void expect_same_state(const system::State& a, const system::State& b,
                              const std::string& what) {
  EXPECT_EQ(a.step, b.step) << what;
  ASSERT_EQ(a.id.size(), b.id.size()) << what;
  int wrong = 0;
  for (std::size_t i = 0; i < b.id.size(); ++i) {
    wrong += a.position[i] != b.position[i] || a.velocity[i] != b.velocity[i] ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0) << what << ": rows that differ of " << b.id.size();
}

inline void expect_same_energies(const engine::Energies& a, const engine::Energies& b,
                                 const std::string& what) {
  EXPECT_EQ(a.bond, b.bond) << what;
  EXPECT_EQ(a.angle, b.angle) << what;
  EXPECT_EQ(a.dihedral, b.dihedral) << what;
  EXPECT_EQ(a.restraint, b.restraint) << what;
  EXPECT_EQ(a.contact, b.contact) << what;
  EXPECT_EQ(a.contact_at_full_strength, b.contact_at_full_strength) << what;
  EXPECT_EQ(a.short_range, b.short_range) << what;
  EXPECT_EQ(a.electrostatic, b.electrostatic) << what;
  EXPECT_EQ(a.kinetic, b.kinetic) << what;
  EXPECT_EQ(a.temperature_kelvin, b.temperature_kelvin) << what;
}

}  // namespace nfold::test
