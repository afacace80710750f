// Observables of a run: samples frames, keeps sums over restarts, writes results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/slab_coexistence.hpp"
#include "comm/communicator.hpp"
#include "engine/engine.hpp"
#include "estimate/sampling.hpp"
#include "input/settings.hpp"
#include "io/observables_file.hpp"
#include "model/topology/topology.hpp"
#include "session/common/tables.hpp"
#include "session/run/shared_accumulator.hpp"
#include "session/setup/report.hpp"

namespace nfold::run {

/// Observables of all ranks. Some are summed on rank 0, which has all positions, others by all
/// ranks. Saved sums and results are identical on any layout of ranks.
class Observation {
 public:
  /// Collective. Throws InputError for observables that are unavailable. The topology must outlive
  /// it.
  Observation(const comm::Communicator& communicator, const input::Settings& settings,
              const topology::Topology& topology);

  /// Requested observables that are unavailable here, one line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// Restores the sums of a checkpoint, which all ranks have. Throws InputError, naming `where`, if
  /// they do not match this input.
  void restore(const std::map<std::string, std::vector<std::int64_t>>& sums,
               const std::string& where);
  /// Collective. Returns the sums for a checkpoint, on rank 0. The next write() writes these sums.
  [[nodiscard]] std::map<std::string, std::vector<std::int64_t>> saved();

  /// True if sample() reads the positions of a report: on rank 0, if some observables are summed
  /// there.
  [[nodiscard]] bool needs_all_positions() const { return !accumulators_.empty(); }
  /// Collective. Adds a frame, unless its step was added before. report: complete on rank 0, at the
  /// engine's step. Throws analysis::AnalysisError as core::Failure.
  void sample(const setup::Report& report, const engine::Engine& engine);
  /// Collective. True if the samples so far suffice for observables.dilute_error. Decided at few
  /// steps, from samples alone, so that a resumed run ends at the same step.
  [[nodiscard]] bool has_reached_goal(std::int64_t step) const;
  /// Means of the last saved(); empty except on rank 0.
  [[nodiscard]] const std::vector<estimate::SampledMean>& means() const { return means_; }
  /// Called on rank 0, once after each saved(). Throws storage::FileError.
  void write(const std::filesystem::path& path);

 private:
  template <class Maker>
  void add(bool asked, const char* key, const Maker& make);

  void keep(std::vector<analysis::Result> results);
  void make_root_accumulators();
  void make_shared_accumulators();

  const comm::Communicator communicator_;
  const input::Settings settings_;
  const topology::Topology& topology_;
  std::vector<std::unique_ptr<analysis::Accumulator>> accumulators_;  // rank 0
  const analysis::SlabCoexistence* coexistence_ = nullptr;            // one of them, if enabled
  std::vector<std::unique_ptr<SharedAccumulator>> shared_;
  /// Content of the output file as of the last saved(); rank 0.
  struct FileContent {
    io::ObservablesHeader header;
    common::Tables tables;
  };
  std::optional<FileContent> kept_;
  std::vector<estimate::SampledMean> means_;
  std::vector<std::string> notes_;
  bool has_accumulators_ = false;  // true if anything is summed
  std::int64_t frames_ = 0, first_step_ = -1, last_step_ = -1;
};

}  // namespace nfold::run
