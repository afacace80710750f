// NAME.ensemble.h5: samples of all replicas and the results from them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "ensemble/observation.hpp"
#include "ensemble/state_exchange.hpp"
#include "io/observables_file.hpp"
#include "io/sample_file.hpp"
#include "plan/sampling.hpp"
#include "topology/topology.hpp"

namespace nfold::ensemble {

struct EnsembleSoFar {
  const config::Settings& settings;
  const topology::Topology& topology;
  const ensemble::StateExchange& exchange;
  std::int64_t step = 0;
  EnsembleObservation* observation = nullptr;  ///< its totals are known
};

struct EnsembleContents {
  io::ObservablesHeader header;
  std::vector<io::ObservedTable> tables;
  std::vector<std::string> words;        ///< messages for the user, one a line
  std::vector<plan::SampledMean> means;  ///< means with known errors, for the history
};

/// Computes the contents. For one rank, on any thread: uses no HDF5, MPI or device. Throws
/// storage::FileError for samples that cannot be read.
[[nodiscard]] EnsembleContents ensemble_contents(const EnsembleSoFar& so_far,
                                                 const io::SampleFile& samples);
/// Writes the file, completely or not at all. For one rank. Throws storage::FileError.
void write_ensemble_file(const EnsembleContents& contents, const std::filesystem::path& path);

}  // namespace nfold::ensemble
