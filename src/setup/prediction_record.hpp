// What a run was predicted to take, held against what it took, and kept in the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "dynamics/busy_clock.hpp"
#include "plan/history.hpp"
#include "plan/machine.hpp"
#include "setup/memory_plan.hpp"

namespace nfold::setup {

/// One rank's, for all of them. What fails here is told and harms no run.
class PredictionRecord {
 public:
  /// As nfold plan would say it: of a system of many copies by a part, else by `planner`, which is
  /// of the whole. ranks_per_node: of `ranks`, on nodes that are alike.
  PredictionRecord(const MemoryPlanner& planner, const config::Settings& settings,
                   const std::filesystem::path& input_file, int ranks, int ranks_per_node);

  /// "a step took 12.1 us, 11.8 us were predicted by h100 (3 % less)" and what else is to be told.
  /// Long enough runs are added to the history.
  [[nodiscard]] std::vector<std::string> end(const dynamics::BusyTime& time);

 private:
  std::optional<plan::HistoryRow> row_;
  std::string machine_, problem_;
  int earlier_runs_ = 0;        // that told
  double learned_seconds_ = 0;  // of a step, with what earlier runs told
};

/// Under which name runs that these coefficients predicted are kept.
[[nodiscard]] std::string history_name(const plan::Machine& machine, bool on_gpu);

}  // namespace nfold::setup
