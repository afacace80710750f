// Protocol of a batch for a Go model within a budget: replicas, temperatures and steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "estimate/dispatch.hpp"

namespace nfold::ensemble {

/// Properties of a system on which the protocol depends.
struct SystemSize {
  std::int64_t residues = 0;
  std::int64_t terms = 0;     ///< bonded terms and contacts
  bool is_resident = true;    ///< true: many steps per launch; false: an engine for each replica
  double epsilon_kj_mol = 1;  ///< energy unit of the Go model
  double repulsion_nm = 0;    ///< cutoff of the repulsion; 0: the one of the speed measurements
};

/// Returns the budget of a system of this size [s of one H200]: 10 below 100 residues, 300 to 500,
/// 7,200 to 2,000, 86,400 above.
[[nodiscard]] double budget_gpu_seconds(std::int64_t residues);

/// Stages of the protocol in order: a coarse ladder from the native state finds the melting region;
/// a ladder around it, from both ends, gives folding temperature and free energy; unfolded replicas
/// at 0.85 of the folding temperature give folding times.
enum class Stage { scan, ladder, kinetics };
inline constexpr std::array<Stage, 3> all_stages{Stage::scan, Stage::ladder, Stage::kinetics};
[[nodiscard]] const char* stage_name(Stage stage);
/// Returns the stage's fraction of the budget.
[[nodiscard]] double stage_share(Stage stage);

/// Parameters of one stage.
struct StageParameters {
  int temperatures = 1, ladders = 1;
  double lowest_kelvin = 0, highest_kelvin = 0;
  std::int64_t steps = 0, exchange_every_steps = 0, sample_every_steps = 0;
  std::int64_t equilibration_steps = 0;
  [[nodiscard]] std::int64_t replicas() const { return std::int64_t{ladders} * temperatures; }
};

/// Returns the number of steps in which half of the replicas of a protein of this size fold, but
/// not less than the fewest steps of a stage. It is a power of the size, from the measured folding
/// of two proteins of 222 and 331 residues.
[[nodiscard]] std::int64_t useful_steps(std::int64_t residues);

/// Distribution of a budget over the stages. The estimated time of the protocol on one H200,
/// including start, samples, analysis and files, is the budget, unless the smallest protocol takes
/// more. Times are computed from counted work and the built-in entry of the H200 on any machine,
/// because they decide how long a target runs, which must be the same everywhere. A stage has as
/// many replicas as fill a GPU, each with useful_steps() at least; if its time does not suffice, it
/// has fewer replicas, then fewer temperatures, and only then fewer steps.
class FoldingProtocol {
 public:
  FoldingProtocol(const SystemSize& size, double budget_gpu_seconds);

  /// kelvin: result of the previous stage; not used by scan.
  [[nodiscard]] StageParameters stage_parameters(Stage stage, double kelvin) const;
  [[nodiscard]] double predicted_seconds(Stage stage) const;  ///< on one H200
  [[nodiscard]] double predicted_seconds() const;
  [[nodiscard]] double budget_seconds() const { return budget_seconds_; }
  /// Returns the work, for estimates on other machines.
  [[nodiscard]] estimate::TargetWork work() const;
  /// Returns "budget 10 s of an H200, predicted 9.9 s: scan of 44 ladders of 24 temperatures ...".
  [[nodiscard]] std::string describe() const;

 private:
  struct Part {
    int temperatures = 1, ladders = 1;
    std::int64_t steps = 0;
  };
  [[nodiscard]] Part& part(Stage stage) { return parts_.at(static_cast<std::size_t>(stage)); }
  [[nodiscard]] const Part& part(Stage stage) const {
    return parts_.at(static_cast<std::size_t>(stage));
  }
  [[nodiscard]] estimate::TargetPart target_part(Stage stage, const Part& part) const;
  [[nodiscard]] estimate::TargetWork system_work() const;
  [[nodiscard]] double estimate_seconds(Stage stage, const Part& part) const;
  [[nodiscard]] Part smallest_part(Stage stage) const;
  /// Returns the part with as many steps as fit into `seconds`, and no fewer than the fewest.
  [[nodiscard]] Part with_steps(Stage stage, Part part, double seconds) const;
  [[nodiscard]] Part best_within(Stage stage, double seconds) const;

  SystemSize size_;
  double budget_seconds_;
  std::array<Part, all_stages.size()> parts_;
};

}  // namespace nfold::ensemble
