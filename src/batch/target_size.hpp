// What a target of a batch needs, known before it starts, and the settings of its protocol.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.hpp"
#include "ensemble/folding_protocol.hpp"
#include "input_files/batch_file.hpp"
#include "plan/dispatch.hpp"
#include "topology/topology.hpp"

namespace nfold::batch {

struct TargetSize {
  plan::TargetWork work;
  input_files::Execution execution = input_files::Execution::automatic;
  bool folds = false;              ///< by the folding protocol
  std::string problem;             ///< why it can't even begin; empty: nothing known
  std::vector<std::string> notes;  ///< on its structure, where it was read
};

/// Reads and builds the target's system, on one process. overrides: of --set, for all targets. Does
/// not throw what is the target's fault: that is `problem`.
[[nodiscard]] TargetSize size_of(const input_files::BatchFile& batch,
                                 const input_files::BatchTarget& target,
                                 const std::vector<std::string>& overrides);

/// How a target that folds spends its budget; empty for others.
[[nodiscard]] std::string protocol_in_words(const input_files::BatchFile& batch,
                                            const TargetSize& size);

/// As --set has them: below and above what an input says.
[[nodiscard]] const std::vector<std::string>& defaults_of(input_files::Protocol protocol);
[[nodiscard]] std::vector<std::string> values_of(const ensemble::StagePlan& plan,
                                                 ensemble::Stage stage);
/// For the settings of a target before its own plan is known, which depends on its size.
inline constexpr ensemble::StagePlan any_plan{1, 1, 100, 100, 1000, 0, 1000, 0};
[[nodiscard]] std::vector<std::string> joined(std::vector<std::string> values,
                                              const std::vector<std::string>& more);

/// InputError for a condensate model, before anything else is asked of it that it could not answer.
void require_go_model(const input_files::TargetInput& input,
                      const std::vector<std::string>& overrides, const std::string& where);
/// InputError where there is none.
void require_contacts(const topology::Topology& topology, const std::string& where);

[[nodiscard]] ensemble::SystemSize system_size(const config::Settings& settings,
                                               const topology::Topology& topology);
/// Seconds of an H200.
[[nodiscard]] double budget_of(const input_files::BatchFile& batch, std::int64_t residues);

/// Of what passes while several targets of a rank wait: by residues of all replicas.
[[nodiscard]] double weight_of(const TargetSize& size);

}  // namespace nfold::batch
