// NAME.ensemble.h5: samples of all replicas and the results from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "estimate/sampling.hpp"
#include "input/settings.hpp"
#include "io/observables_file.hpp"
#include "io/sample_file.hpp"
#include "model/topology/topology.hpp"
#include "session/common/tables.hpp"
#include "session/ensemble/observation.hpp"
#include "session/ensemble/state_exchange.hpp"

namespace nfold::ensemble {

struct EnsembleSnapshot {
  const input::Settings& settings;
  const topology::Topology& topology;
  const ensemble::StateExchange& exchange;
  std::int64_t step = 0;
  EnsembleObservation* observation = nullptr;  ///< its totals are known
};

struct EnsembleContents {
  io::ObservablesHeader header;
  common::Tables tables;
  std::vector<std::string> messages;         ///< messages for the user, one a line
  std::vector<estimate::SampledMean> means;  ///< means with known errors, for the history
};

/// Computes the contents. For one rank, on any thread: uses no HDF5, MPI or device. Throws
/// storage::FileError for samples that cannot be read.
[[nodiscard]] EnsembleContents ensemble_contents(const EnsembleSnapshot& snapshot,
                                                 const io::SampleFile& samples);
/// Writes the file, completely or not at all. For one rank. Throws storage::FileError.
void write_ensemble_file(const EnsembleContents& contents, const std::filesystem::path& path);

}  // namespace nfold::ensemble
