// Coordinates of files: every format gives the same start, and what does not fit is refused.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/coordinate_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "input/input.hpp"
#include "io/dcd.hpp"
#include "io/structure_files.hpp"
#include "io/trajectory.hpp"
#include "model/start/initial_state.hpp"
#include "session/setup/frame_writer.hpp"
#include "session/setup/start_setup.hpp"
#include "session/setup/system_setup.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::setup {
namespace {

using test::TemporaryFolder;
using test::write_file;
using testing::AllOf;
using testing::HasSubstr;
using Points = std::vector<std::array<double, 3>>;
using Floats = std::vector<std::array<float, 3>>;

// Two species of several copies in a box, so that chains and species follow each other.
const std::string mixture_input =
    "system:\n  species:\n    - {name: a, sequence: MKVE, copies: 2}\n"
    "    - {name: b, sequence: GSY, copies: 1}\n  box_nm: [10, 12, 14]\n"
    "force_field: {model: calvados2}\ndynamics: {steps: 1, temperature_kelvin: 300}\n";
const std::string ubiquitin_input =
    "system: {structure: " NFOLD_INPUT "/structures/1ubq.pdb.gz}\ndynamics: {steps: 1}\n";

struct Built {
  input::Settings settings;
  topology::Topology topology;
};

Built build_input(const std::string& text, const std::vector<std::string>& keys = {}) {
  auto settings = input::parse_input(text, "in.yaml", keys);
  auto topology = build_system(comm::Communicator(), settings, "in.yaml").topology;
  return {std::move(settings), std::move(topology)};
}

/// Returns a chain along x in steps of 3/8 nm for each chain, across the border of the box.
Points stretched(const topology::Topology& topology) {
  Points x_nm;
  for (const auto& chain : topology.chains) {
    const auto line = static_cast<double>(&chain - topology.chains.data());
    for (int i = 0; i < chain.count; ++i) x_nm.push_back({9 + 0.375 * i, 2 * line, 0.5});
  }
  return x_nm;
}

Floats to_floats(const Points& x_nm) {
  Floats floats;
  for (const auto& x : x_nm) {
    floats.push_back(
        {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])});
  }
  return floats;
}

std::string to_csv(const Points& x_nm) {
  std::string text = "x_nm,y_nm,z_nm\n";
  for (const auto& x : x_nm) text += fmt::format("{},{},{}\n", x[0], x[1], x[2]);
  return text;
}

std::string to_gro(const topology::Topology& topology, const Points& x_nm) {
  std::string text = fmt::format("beads\n{}\n", x_nm.size());
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    const topology::Residue residue = topology.residues[i];
    text += fmt::format("{:5}{:<5}{:>5}{:5}{:8.3f}{:8.3f}{:8.3f}\n", residue.number,
                        residue.name.view(), "CA", i + 1, x_nm[i][0], x_nm[i][1], x_nm[i][2]);
  }
  const auto& box = topology.box.length_nm;
  return text + fmt::format("{} {} {}\n", box[0], box[1], box[2]);
}

void write_all_formats(const TemporaryFolder& folder, const topology::Topology& topology,
                       const Points& x_nm) {
  const auto description = describe(topology);
  write_file(folder / "a.csv", to_csv(x_nm));
  write_file(folder / "a.gro", to_gro(topology, x_nm));
  io::write_pdb(folder / "a.pdb", description, to_floats(x_nm));
  io::write_mmcif(folder / "a.cif", description, to_floats(x_nm));
  io::DcdWriter(folder / "a.dcd", x_nm.size(), {}, topology.box.length_nm)
      .append_frame(to_floats(x_nm));
  auto trajectory = io::TrajectoryWriter::create(folder / "a.h5md", description);
  const std::vector<double> observables(description.observables.size(), 0);
  trajectory.append_frame({7, 0.07, x_nm, {}, observables});
  trajectory.close();
}

TEST(CoordinateFile, AllFormatsGiveTheSameState) {
  const auto [settings, topology] = build_input(mixture_input);
  const TemporaryFolder folder;
  const auto x_nm = stretched(topology);
  // A file may have beads within the box: chains become whole again.
  auto wrapped = x_nm;
  for (auto& x : wrapped) x[0] = std::fmod(x[0], 10);
  for (const auto& given : {x_nm, wrapped}) {
    write_all_formats(folder, topology, given);
    for (const auto* const name : {"a.csv", "a.gro", "a.pdb", "a.cif", "a.dcd", "a.h5md"}) {
      const comm::Communicator alone;
      CoordinateFile file(alone, folder / name, settings.system, topology);
      ASSERT_EQ(file.frame_count(), 1) << name;
      const auto state = file.state(file.find_frame("last"));
      EXPECT_EQ(state.step, name == std::string("a.h5md") ? 7 : 0);
      ASSERT_EQ(state.position.size(), x_nm.size());
      for (std::size_t i = 0; i < x_nm.size(); ++i) {
        EXPECT_EQ(state.id[i], static_cast<int>(i));
        const auto found = system::position_nm(topology.box, state.position[i]);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          EXPECT_NEAR(found[axis], x_nm[i][axis], 1e-6) << name << " bead " << i;
        }
      }
      const bool has_box = name != std::string("a.csv");
      EXPECT_EQ(file.notes().size(), has_box ? 1U : 0U) << name;
      for (const auto& note : file.notes()) {
        EXPECT_THAT(note, HasSubstr("10 x 12 x 14 nm, is used"));
      }
    }
  }
}

TEST(CoordinateFile, CsvKeepsPositionsOfDoublePrecision) {
  const auto [settings, topology] = build_input(mixture_input);
  const TemporaryFolder folder;
  auto x_nm = stretched(topology);
  for (auto& x : x_nm) x[1] += 1.0 / 3;
  write_file(folder / "a.csv", to_csv(x_nm));
  const comm::Communicator alone;
  const auto state = CoordinateFile(alone, folder / "a.csv", settings.system, topology).state(0);
  for (std::size_t i = 0; i < x_nm.size(); ++i) {
    EXPECT_EQ(state.position[i][1], topology.box.to_counts(1, x_nm[i][1]));
  }
}

TEST(CoordinateFile, StructureOfAllAtomsGivesBeads) {
  const auto [settings, topology] = build_input(ubiquitin_input);
  const comm::Communicator alone;
  CoordinateFile file(alone, NFOLD_INPUT "/structures/1ubq.pdb.gz", settings.system, topology);
  const auto state = file.state(0);
  const auto at_rest = start::native_start(topology);
  ASSERT_EQ(state.position.size(), at_rest.position.size());
  for (std::size_t i = 0; i < at_rest.position.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(topology.box.to_nm(axis, state.position[i][axis] - at_rest.position[i][axis]), 0,
                  1e-6);
    }
  }
  EXPECT_TRUE(file.notes().empty()) << "the cell of a crystal is no box";
}

TEST(CoordinateFile, StructureOfAllAtomsGivesCentresOfMassInDomains) {
  const auto [settings, topology] =
      build_input("system: {structure: " NFOLD_INPUT
                  "/structures/1ubq.pdb.gz}\n"
                  "force_field: {model: calvados3, bead: centre-of-mass}\ndynamics: {steps: 1}\n");
  const comm::Communicator alone;
  CoordinateFile file(alone, NFOLD_INPUT "/structures/1ubq.pdb.gz", settings.system, topology);
  const auto state = file.state(0);
  for (std::size_t i = 0; i < state.position.size(); ++i) {
    const auto found = system::position_nm(topology.box, state.position[i]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(found[axis], topology.native_nm[i][axis], 1e-9);
    }
  }
}

TEST(Starts, GoModelStartsFromGivenCoil) {
  const auto [settings, topology] = build_input(ubiquitin_input);
  const TemporaryFolder folder;
  const auto coil = start::unfolded_start(topology, 3);
  Points x_nm;
  for (const auto& position : coil.position) {
    x_nm.push_back(system::position_nm(topology.box, position));
  }
  write_file(folder / "coil.csv", to_csv(x_nm));
  const auto keys = std::vector<std::string>{"start.coordinates=" + (folder / "coil.csv").string()};
  const auto given = build_input(ubiquitin_input, keys);
  EXPECT_EQ(given.topology.contact_count(), topology.contact_count());
  EXPECT_EQ(topology::hash_topology(given.topology), topology::hash_topology(topology));
  const auto first = first_state(comm::Communicator(), given.settings, "in.yaml", given.topology);
  EXPECT_EQ(first.state.position, coil.position);
  EXPECT_EQ(first.state.step, 0);
  EXPECT_EQ(first.state.velocity.size(), coil.position.size());
  EXPECT_NE(first.state.velocity.front(), (system::Velocity{0, 0, 0}));
}

std::string refusal(const std::filesystem::path& file, const Built& built,
                    const std::string& frame = "0") {
  try {
    const comm::Communicator alone;
    CoordinateFile coordinates(alone, file, built.settings.system, built.topology);
    (void)coordinates.state(coordinates.find_frame(frame));
  } catch (const core::Failure& failure) {
    EXPECT_EQ(failure.outcome(), core::Outcome::wrong_input);
    return failure.what();
  }
  return "accepted";
}

TEST(CoordinateFile, RefusesWhatDoesNotFit) {
  const auto built = build_input(mixture_input);
  const auto& topology = built.topology;
  const auto x_nm = stretched(topology);
  const auto gro = to_gro(topology, x_nm);
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const auto fewer = Points(x_nm.begin(), x_nm.end() - 1);
  const TemporaryFolder folder;
  io::write_pdb(folder / "chains.pdb", describe(topology), to_floats(x_nm));
  auto chains = test::read_file(folder / "chains.pdb");
  const auto second = chains.find("ATOM", chains.find("ATOM") + 1);
  chains.insert(second, "TER\n");
  struct Case {
    std::string name, text, problem;
  };
  for (const auto& [name, text, problem] : std::vector<Case>{
           {"a.csv", to_csv(fewer), "10 beads, the system has 11"},
           {"a.csv", "x,y,z\n1,nan,2\n", "a.csv:2: y of bead 1 is 'nan'"},
           {"a.gro", replaced(gro, "LYS", "ALA"), "bead 2 is LYS 2 (chain a"},
           {"a.gro", replaced(gro, "10 12 14", "10 12 15"), "the box is 10 x 12 x 15 nm, that of"},
           {"a.gro", replaced(gro, "LYS", "QQQ"), "accepted"},
           {"a.pdb", chains, "bead 2 is LYS 2 (chain a"},
           {"a.pdb",
            "CRYST1   40.000   55.000  122.500  90.00  60.00  90.00 P 1\n" +
                test::read_file(folder / "chains.pdb"),
            "is not rectangular"},
           {"a.xyz", "1\n", "the ending '.xyz' is of no coordinate file"},
           {"a.dcd", "not a DCD", "does not begin with the record CORD"},
           {"a.h5md", "not an H5MD", "a.h5md: "},
           {"a.pdb", "not a PDB", "no ATOM record"}}) {
    write_file(folder / name, text);
    EXPECT_THAT(refusal(folder / name, built), HasSubstr(problem)) << name;
  }
  EXPECT_THAT(refusal(folder / "missing.csv", built), HasSubstr("there is no such file"));
  write_file(folder / "a.csv", to_csv(x_nm));
  EXPECT_THAT(refusal(folder / "a.csv", built, "1"),
              AllOf(HasSubstr("no frame 1 among 1 frame"), HasSubstr("from 0 to 0")));
  io::DcdWriter(folder / "none.dcd", x_nm.size(), {});
  EXPECT_THAT(refusal(folder / "none.dcd", built), HasSubstr("it has no frame"));
}

}  // namespace
}  // namespace nfold::setup
