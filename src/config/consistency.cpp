// Defaults and rules that join several keys.
// SPDX-License-Identifier: BSD-3-Clause

#include "config/consistency.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace nfold::config {

namespace {

/// Contact maps' own cutoffs [nm], in the order of ContactMap: shadow as SMOG 2, heavy-atom and
/// calpha as in the literature of cutoff maps.
constexpr std::array map_cutoffs_nm{0.6, 0.45, 0.8};

/// The longest step at which a long chain of such bonds is stable: h < 2/w, w^2 = 4k/m.
double bond_limit_ps(const ForceFieldSettings& force_field) {
  return std::sqrt(force_field.mass_amu /
                   (force_field.bond_k_per_nm2 * force_field.epsilon_kj_mol));
}

class Checker {
 public:
  Checker(const GivenKeys& given, const std::string& file) : given_(given), file_(file) {}

  void complain(std::string_view key, std::string problem, std::string remedy) {
    const auto found = given_.find(key);
    const SourcePosition at = found == given_.end() ? SourcePosition{file_, 0, 0} : found->second;
    problems.push_back({at, std::move(problem), std::move(remedy)});
  }

  std::vector<InputProblem> problems;

 private:
  const GivenKeys& given_;
  const std::string& file_;
};

void check_start(StartSettings& start, const GivenKeys& given, Checker& checker) {
  const bool has_file = !start.checkpoint.empty();
  if (has_file && !given.contains("start.from")) start.from = StartFrom::checkpoint;
  if (has_file && start.from != StartFrom::checkpoint) {
    checker.complain("start.from",
                     "start.from is not checkpoint, yet start.checkpoint names a file",
                     "keep one of the two");
  }
  if (!has_file && start.from == StartFrom::checkpoint) {
    checker.complain("start.from", "start.from = checkpoint, but no file is named",
                     "give start.checkpoint");
  }
}

void check_dynamics(const Settings& settings, Checker& checker) {
  const double limit_ps = bond_limit_ps(settings.force_field);
  const double step_ps = settings.dynamics.time_step_ps;
  if (step_ps < limit_ps) return;
  checker.complain(
      "dynamics.time_step_ps", fmt::format("dynamics.time_step_ps = {}", step_ps),
      fmt::format("bonds explode from {:.3g} ps on, sqrt(mass/k); take a tenth of it or less, or a "
                  "larger force_field.mass_amu",
                  limit_ps));
}

}  // namespace

std::vector<InputProblem> complete_and_check(Settings& settings, const GivenKeys& given,
                                             const std::string& file) {
  Checker checker(given, file);
  auto& contacts = settings.force_field.contacts;
  if (!given.contains("force_field.contacts.cutoff_nm")) {
    contacts.cutoff_nm = map_cutoffs_nm.at(static_cast<std::size_t>(contacts.map));
  }
  if (settings.system.structure.empty()) {
    checker.complain("system.structure", "system.structure is empty",
                     "name a PDB or mmCIF file, relative to the input file's folder");
  }
  check_start(settings.start, given, checker);
  check_dynamics(settings, checker);
  if (settings.output.dcd && settings.output.trajectory_every_steps == 0) {
    checker.complain("output.dcd", "output.dcd = true, but output.trajectory_every_steps = 0",
                     "give an interval, or leave the DCD out");
  }
  return std::move(checker.problems);
}

}  // namespace nfold::config
