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
#include "config/settings.hpp"
#include "setup/report.hpp"
#include "topology/topology.hpp"

namespace nfold::run {

/// For one rank, which has all positions: what it holds and writes is the same on any layout.
class Observation {
 public:
  /// InputError for what the system is too large for. The topology must outlive it.
  Observation(const config::Settings& settings, const topology::Topology& topology);

  /// What is asked for and not to be had here, a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// Takes over the sums of a checkpoint. InputError, naming `where`, if they are not those that
  /// this input would have made.
  void restore(const std::map<std::string, std::vector<std::int64_t>>& sums,
               const std::string& where);
  [[nodiscard]] std::map<std::string, std::vector<std::int64_t>> saved() const;

  /// Adds a frame, unless it was there already. analysis::AnalysisError.
  void sample(const setup::Report& report);
  /// storage::FileError.
  void write(const std::filesystem::path& path) const;

 private:
  template <class Maker>
  void add(bool asked, const char* key, const Maker& make);

  const config::Settings settings_;
  const topology::Topology& topology_;
  std::vector<std::unique_ptr<analysis::Accumulator>> accumulators_;
  std::vector<std::string> notes_;
  std::int64_t frames_ = 0, first_step_ = -1, last_step_ = -1;
};

}  // namespace nfold::run
