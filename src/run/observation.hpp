// What `observables` of the input asks for: samples frames, keeps sums over restarts, writes
// results. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "dynamics/engine.hpp"
#include "io/observables_file.hpp"
#include "plan/sampling.hpp"
#include "run/shared_accumulator.hpp"
#include "setup/report.hpp"
#include "topology/topology.hpp"

namespace nfold::run {

/// Of all ranks: some subjects are summed on rank 0, which has all positions, others by all ranks.
/// What is held together and written is the same on any layout.
class Observation {
 public:
  /// Collective. InputError for what cannot be had. The topology must outlive it.
  Observation(const comm::Communicator& communicator, const config::Settings& settings,
              const topology::Topology& topology);

  /// What is asked for and not to be had here, a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// Takes over the sums of a checkpoint, which all ranks have. InputError, naming `where`, if they
  /// are not those that this input would have made.
  void restore(const std::map<std::string, std::vector<std::int64_t>>& sums,
               const std::string& where);
  /// Collective: for a checkpoint, on rank 0. What write() tells next is of these sums.
  [[nodiscard]] std::map<std::string, std::vector<std::int64_t>> saved();

  /// Whether sample() looks at the positions of a report: on rank 0, where some are summed there.
  [[nodiscard]] bool looks_at_all_positions() const { return !accumulators_.empty(); }
  /// Collective: adds a frame, unless it was there already. report: complete on rank 0, of the
  /// engine's step. analysis::AnalysisError as SharedFailure.
  void sample(const setup::Report& report, const dynamics::Engine& engine);
  /// Of the last saved(); empty but on rank 0.
  [[nodiscard]] const std::vector<plan::SampledMean>& means() const { return means_; }
  /// For rank 0, once after saved(). storage::FileError.
  void write(const std::filesystem::path& path);

 private:
  template <class Maker>
  void add(bool asked, const char* key, const Maker& make);

  void keep(std::vector<analysis::Result> results);
  void make_own();
  void make_shared();

  const comm::Communicator communicator_;
  const config::Settings settings_;
  const topology::Topology& topology_;
  std::vector<std::unique_ptr<analysis::Accumulator>> accumulators_;  // rank 0
  std::vector<std::unique_ptr<SharedAccumulator>> shared_;
  /// What a file tells, as of the last saved(); rank 0.
  struct Told {
    io::ObservablesHeader header;
    std::vector<io::ObservedTable> tables;
  };
  std::optional<Told> kept_;
  std::vector<plan::SampledMean> means_;
  std::vector<std::string> notes_;
  bool any_ = false;  // anything is summed
  std::int64_t frames_ = 0, first_step_ = -1, last_step_ = -1;
};

}  // namespace nfold::run
