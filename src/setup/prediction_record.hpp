// What a run was predicted to take, held against what it took, and kept in the history.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "dynamics/busy_clock.hpp"
#include "plan/history.hpp"
#include "plan/learned_step.hpp"
#include "plan/machine.hpp"
#include "setup/memory_plan.hpp"

namespace nfold::setup {

/// What a step was predicted to take.
struct PredictedStep {
  double seconds = 0;
  double spread = 0;  ///< standard deviation of ln(real / predicted)
  std::string by;     ///< "h100 and 3 earlier runs"
};

/// One rank's, for all of them. What fails here is told and harms no run.
class PredictionRecord {
 public:
  /// As nfold plan would say it: of a system of many copies by a part, else by `planner`, which is
  /// of the whole, at its start or, is_continued, later. ranks_per_node: of `ranks`, on nodes that
  /// are alike.
  PredictionRecord(const MemoryPlanner& planner, const config::Settings& settings,
                   const std::filesystem::path& input_file, int ranks, int ranks_per_node,
                   bool is_continued);

  /// "a step took 12.1 us, 11.8 us were predicted by h100 (3 % less)" and what else is to be told.
  /// Long enough runs are added to the history.
  [[nodiscard]] std::vector<std::string> end(const dynamics::BusyTime& time);
  /// None where there was no prediction.
  [[nodiscard]] std::optional<PredictedStep> predicted() const;
  /// Whether these steps are enough to be held against it.
  [[nodiscard]] static bool is_enough(const dynamics::BusyTime& time);

 private:
  std::optional<plan::HistoryRow> row_;
  std::string machine_, problem_;
  double spread_ = 0;           // of the model, or of runs like this one
  int earlier_runs_ = 0;        // that told
  double learned_seconds_ = 0;  // of a step, with what they told
};

/// What runs of this machine took, if there is a history; its coefficients become theirs.
[[nodiscard]] std::optional<plan::LearnedStep> learn_from_history(plan::Machine& machine,
                                                                  bool on_gpu);

/// Under which name runs that these coefficients predicted are kept.
[[nodiscard]] std::string history_name(const plan::Machine& machine, bool on_gpu);
/// The machine's name and a hash of what predicts for it, to four figures.
[[nodiscard]] std::string name_of_numbers(const std::string& machine,
                                          std::span<const double> numbers);
/// "3 % more": than predicted.
[[nodiscard]] std::string off_in_words(double measured, double predicted);
/// "h100 and 3 earlier runs"
[[nodiscard]] std::string predictor_in_words(const std::string& machine, int earlier_runs);

}  // namespace nfold::setup
