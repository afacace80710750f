// What a batch does with a go model within its budget: how many replicas, where, how long.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "plan/dispatch.hpp"

namespace nfold::ensemble {

/// One system, as far as plans go.
struct SystemSize {
  std::int64_t residues = 0;
  std::int64_t terms = 0;     ///< bonded ones and contacts
  bool is_resident = true;    ///< many steps a launch; else an engine for each replica
  double epsilon_kj_mol = 1;  ///< unit of energy of the go model
  double repulsion_nm = 0;    ///< its cutoff; 0: as speeds were measured
};

/// Seconds of one H200 that a system of this size is given: 10 below 100 residues, 300 to 500,
/// 7,200 to 2,000, 86,400 above.
[[nodiscard]] double budget_gpu_seconds(std::int64_t residues);

/// The parts of the protocol in their order: a coarse ladder from the native state finds the
/// melting region; a ladder around it, from both ends, gives folding temperature and free energy;
/// unfolded replicas at 0.85 of the folding temperature give folding times.
enum class Stage { scan, ladder, kinetics };
inline constexpr std::array<Stage, 3> all_stages{Stage::scan, Stage::ladder, Stage::kinetics};
[[nodiscard]] const char* stage_name(Stage stage);
/// Part of the budget.
[[nodiscard]] double stage_share(Stage stage);

/// Shape of one part.
struct StagePlan {
  int temperatures = 1, ladders = 1;
  double lowest_kelvin = 0, highest_kelvin = 0;
  std::int64_t steps = 0, exchange_every_steps = 0, sample_every_steps = 0;
  std::int64_t equilibration_steps = 0;
  [[nodiscard]] std::int64_t replicas() const { return std::int64_t{ladders} * temperatures; }
};

/// In which half of the replicas of a protein of this size fold, if not less than the fewest that
/// a part makes: as two proteins of 222 and 331 residues need, and in between and beyond by a
/// power.
[[nodiscard]] std::int64_t useful_steps(std::int64_t residues);

/// How a budget is spent. The predicted seconds of the protocol on one H200, its start, looks,
/// analysis and files among them, are the budget, unless less than the least protocol takes. They
/// come from counted work and the built-in entry of the H200, whatever the machine at hand: they
/// decide how long a target runs, and that must be the same everywhere. A part has as many replicas
/// as fill a GPU, each with useful_steps() at least; where its seconds don't pay for that, it has
/// fewer replicas, then fewer temperatures, and only then fewer steps.
class FoldingProtocol {
 public:
  FoldingProtocol(const SystemSize& size, double budget_gpu_seconds);

  /// kelvin: what the part before found; not used by scan.
  [[nodiscard]] StagePlan plan_of(Stage stage, double kelvin) const;
  [[nodiscard]] double predicted_seconds(Stage stage) const;  ///< of one H200
  [[nodiscard]] double predicted_seconds() const;
  [[nodiscard]] double budget_seconds() const { return budget_seconds_; }
  /// For predictions on other machines.
  [[nodiscard]] plan::TargetWork work() const;
  /// "budget 10 s of an H200, predicted 9.9 s: scan of 44 ladders of 24 temperatures ...".
  [[nodiscard]] std::string in_words() const;

 private:
  struct Part {
    int temperatures = 1, ladders = 1;
    std::int64_t steps = 0;
  };
  [[nodiscard]] Part& part(Stage stage) { return parts_.at(static_cast<std::size_t>(stage)); }
  [[nodiscard]] const Part& part(Stage stage) const {
    return parts_.at(static_cast<std::size_t>(stage));
  }
  [[nodiscard]] plan::TargetPart target_part(Stage stage, const Part& part) const;
  [[nodiscard]] double seconds_of(Stage stage, const Part& part) const;
  [[nodiscard]] Part least_of(Stage stage) const;
  /// With as many steps as so many seconds pay for, and no fewer than the fewest.
  [[nodiscard]] Part with_steps(Stage stage, Part part, double seconds) const;
  [[nodiscard]] Part best_within(Stage stage, double seconds) const;

  SystemSize size_;
  double budget_seconds_;
  std::array<Part, all_stages.size()> parts_;
};

}  // namespace nfold::ensemble
