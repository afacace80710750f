// NAME.ensemble.h5: samples of all replicas and what they tell.
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
  EnsembleObservation* observation = nullptr;  ///< whose totals are known
};

struct EnsembleContents {
  io::ObservablesHeader header;
  std::vector<io::ObservedTable> tables;
  std::vector<std::string> words;        ///< what a person should know of it, a line each
  std::vector<plan::SampledMean> means;  ///< what is known with an error, for the history
};

/// For one rank, on any thread: nothing of HDF5, MPI or a device is touched. storage::FileError of
/// samples that cannot be read.
[[nodiscard]] EnsembleContents ensemble_contents(const EnsembleSoFar& so_far,
                                                 const io::SampleFile& samples);
/// The file, whole or not at all. For one rank. storage::FileError.
void write_ensemble_file(const EnsembleContents& contents, const std::filesystem::path& path);

}  // namespace nfold::ensemble
