// Small system with frames in closed form, for trajectory tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "io/trajectory.hpp"

namespace nfold::test {

using Positions = std::vector<std::array<double, 3>>;

inline io::TrajectoryDescription small_description(int residues = 7) {
  io::TrajectoryDescription description;
  const std::vector<std::string> names = {"MET", "ALA", "GLY", "TRP"};
  for (int i = 0; i < residues; ++i) {
    description.residue_names.push_back(names[static_cast<std::size_t>(i) % names.size()]);
    description.residue_numbers.push_back(i + 10);
    description.chain_names.push_back(i < 4 ? "A" : "BB");
    description.masses_amu.push_back(1 + i);
    description.charges_e.push_back(i % 3 - 1);
    if (i > 0 && i != 4) description.bonds.push_back({i - 1, i});
  }
  description.observables = {{"temperature", "K"}, {"potential_energy", "kJ mol-1"}};
  description.creator_version = "test";
  return description;
}

/// Positions [nm], different for each frame and residue and exact in float32.
inline Positions frame_positions(std::int64_t frame, int residues = 7) {
  Positions x;
  for (int i = 0; i < residues; ++i) {
    const double at = static_cast<double>(frame) / 8;
    x.push_back({0.375 * i + at, (i % 2) * 0.25 - at, at * i / 16});
  }
  return x;
}

inline std::vector<double> frame_observables(std::int64_t frame) {
  return {300 + 0.5 * static_cast<double>(frame), -1.25 * static_cast<double>(frame)};
}

/// Mass-weighted radius of gyration [nm].
inline double radius_of_gyration_nm(const io::TrajectoryDescription& description,
                                    const Positions& x) {
  double mass = 0, inertia = 0;
  std::array<double, 3> centre{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    mass += description.masses_amu[i];
    for (std::size_t d = 0; d < 3; ++d) centre[d] += description.masses_amu[i] * x[i][d];
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double r = x[i][d] - centre[d] / mass;
      inertia += description.masses_amu[i] * r * r;
    }
  }
  return std::sqrt(inertia / mass);
}

inline void append_test_frame(io::TrajectoryWriter& writer, std::int64_t frame, int residues = 7) {
  const auto x = frame_positions(frame, residues);
  const auto observables = frame_observables(frame);
  writer.append_frame({.step = frame * 100,
                       .time_ps = static_cast<double>(frame) * 0.5,
                       .positions_nm = x,
                       .velocities_nm_ps = x,
                       .observables = observables});
}

/// Expects frames 0 .. count - 1 bit for bit.
inline void expect_frames(const std::filesystem::path& path, std::int64_t count) {
  const io::TrajectoryReader reader(path);
  ASSERT_EQ(reader.frame_count(), count);
  for (std::int64_t frame = 0; frame < count; ++frame) {
    EXPECT_EQ(reader.steps()[static_cast<std::size_t>(frame)], frame * 100);
    EXPECT_EQ(reader.times_ps()[static_cast<std::size_t>(frame)], static_cast<double>(frame) * 0.5);
    const auto found = reader.positions_nm(frame);
    const auto expected = frame_positions(frame);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(found[i][d], expected[i][d]) << frame;
    }
  }
}

}  // namespace nfold::test
