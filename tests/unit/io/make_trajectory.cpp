// Writes trajectories known in closed form for the tests that read them with MDAnalysis.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <array>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "io/structure_files.hpp"
#include "io/trajectory.hpp"
#include "io/trajectory_export.hpp"
#include "trajectory_fixture.hpp"

namespace {

using nfold::io::TrajectoryWriter;

constexpr int whole_frames = 30;

nfold::io::TrajectoryDescription with_velocities() {
  auto description = nfold::test::small_description();
  description.velocities = true;
  return description;
}

// whole|boxed PREFIX: .h5md, .dcd, .psf, .pdb; prints Rg [nm] of each frame.
void write_whole(const std::string& prefix, const std::array<double, 3>& box_nm) {
  auto description = with_velocities();
  description.box_nm = box_nm;
  auto writer = TrajectoryWriter::create(prefix + ".h5md", description);
  for (int frame = 0; frame < whole_frames; ++frame) {
    nfold::test::append_test_frame(writer, frame);
    const auto x = nfold::test::frame_positions(frame);
    std::cout << fmt::format("{}\n", nfold::test::radius_of_gyration_nm(description, x));
  }
  writer.close();
  const nfold::io::TrajectoryReader reader(prefix + ".h5md");
  nfold::io::export_dcd(nfold::io::ExportedFrames(reader), prefix + ".dcd");
  nfold::io::write_psf(prefix + ".psf", reader.description());
  nfold::io::write_pdb(prefix + ".pdb", reader.description(), reader.positions_nm(0));
  nfold::io::write_mmcif(prefix + ".cif", reader.description(), reader.positions_nm(0));
}

// chains PREFIX: .pdb and .cif of 400 chains of two residues.
void write_chains(const std::string& prefix) {
  nfold::io::TrajectoryDescription description;
  std::vector<std::array<float, 3>> positions_nm;
  for (int i = 0; i < 800; ++i) {
    description.residue_names.emplace_back(i % 2 == 0 ? "GLY" : "LYS");
    description.residue_numbers.push_back(1 + i % 2);
    description.chain_names.push_back(fmt::format("FUS.{}", 1 + i / 2));
    description.masses_amu.push_back(57);
    description.charges_e.push_back(i % 2);
    positions_nm.push_back({0.01F * static_cast<float>(i), 1, 2});
    if (i % 2 == 1) description.bonds.push_back({i - 1, i});
  }
  nfold::io::write_pdb(prefix + ".pdb", description, positions_nm);
  nfold::io::write_mmcif(prefix + ".cif", description, positions_nm);
}

// large PREFIX: .pdb of one more residue than decimal serial numbers reach.
void write_large(const std::string& prefix) {
  nfold::io::TrajectoryDescription description;
  constexpr int residues = 100'000;
  for (int i = 0; i < residues; ++i) {
    description.residue_names.emplace_back("GLY");
    description.residue_numbers.push_back(i + 1);
    description.chain_names.emplace_back("A");
    description.masses_amu.push_back(57);
    description.charges_e.push_back(0);
    if (i > 0) description.bonds.push_back({i - 1, i});
  }
  nfold::io::write_pdb(prefix + ".pdb", description,
                       std::vector<std::array<float, 3>>(residues, {1, 2, 3}));
}

// endless PREFIX FIRST: frames from FIRST on until killed, a commit each; prints one line when the
// first frame is in the file.
[[noreturn]] void write_endless(const std::string& prefix, std::int64_t first) {
  const auto description = with_velocities();
  auto writer = first == 0
                    ? TrajectoryWriter::create(prefix + ".h5md", description)
                    : TrajectoryWriter::append(prefix + ".h5md", description, (first - 1) * 100);
  for (auto frame = writer.frame_count();; ++frame) {
    nfold::test::append_test_frame(writer, frame);
    writer.flush();
    if (frame == first) std::cout << "ready" << std::endl;
  }
}

// resume PREFIX: repairs the file after a kill; prints the number of frames.
void resume(const std::string& prefix) {
  auto writer = TrajectoryWriter::append(prefix + ".h5md", with_velocities(), 1 << 30);
  writer.close();
  std::cout << nfold::io::TrajectoryReader(prefix + ".h5md").frame_count() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string mode = argc > 2 ? argv[1] : "";
    if (mode == "whole") {
      write_whole(argv[2], {0, 0, 0});
    } else if (mode == "boxed") {
      write_whole(argv[2], {4, 5, 12.5});
    } else if (mode == "chains") {
      write_chains(argv[2]);
    } else if (mode == "large") {
      write_large(argv[2]);
    } else if (mode == "endless" && argc > 3) {
      write_endless(argv[2], std::stoll(argv[3]));
    } else if (mode == "resume") {
      resume(argv[2]);
    } else {
      std::cerr
          << "usage: make_trajectory whole|boxed|chains|large|endless|resume PREFIX [FIRST]\n";
      return 1;
    }
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
  return 0;
}
