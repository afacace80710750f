// Command `nfold energy`: energies and forces of given configurations.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/topology/topology.hpp"
#include "session/job/invocation.hpp"

namespace nfold::run {

struct EnergyOptions {
  std::filesystem::path input;
  std::filesystem::path coordinates;  ///< empty: the start of the input
  std::vector<std::string> overrides;
  std::string frames;                 ///< --frames; empty: all
  std::filesystem::path csv, forces;  ///< files; empty: none
  bool json = false;                  ///< prints JSON in place of the table
  bool overwrite = false;
  std::string gpus;
  int threads = 0;
  std::uint64_t device_memory = 0;
};

/// Starts MPI and prints the potential energy by term of each configuration, in double precision by
/// the engine of a run.
core::ExitCode print_energies(job::Invocation& invocation, const EnergyOptions& options);

/// Energy with the name of its column, [kJ/mol].
struct NamedEnergy {
  std::string name;  ///< "bond"; its column is bond_kj_mol
  double kj_mol = 0;
};
/// Returns the potential energy by part with the names of NAME.energies.csv, their sum, and then
/// what some kinds of terms of the topology contribute to a part: tabulated angles, biases.
[[nodiscard]] std::vector<NamedEnergy> name_energies(const engine::Energies& energies,
                                                     const topology::Topology& topology);

/// Returns the frames that a text selects among `count`: a number, or FIRST:END:STEP as in Python,
/// each part optional, negative numbers from the end; empty: all. Throws core::InputError for a
/// frame that does not exist.
[[nodiscard]] std::vector<std::int64_t> select_frames(const std::string& text, std::int64_t count);

}  // namespace nfold::run
