// Size and work of a target, known before it starts, and the settings of its protocol.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "estimate/dispatch.hpp"
#include "input/batch_file.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "session/ensemble/folding_protocol.hpp"

namespace nfold::batch {

struct TargetSize {
  estimate::TargetWork work;
  input::Execution execution = input::Execution::automatic;
  bool folds = false;              ///< Uses the folding protocol.
  std::string problem;             ///< Reason for which it cannot begin. Empty: none.
  std::vector<std::string> notes;  ///< Notes on its structure file.
};

/// Reads and builds the target's system on one process. overrides: values of --set. A failure of
/// the target is not thrown but returned as `problem`.
[[nodiscard]] TargetSize read_target_size(const input::BatchFile& batch,
                                          const input::BatchTarget& target,
                                          const std::vector<std::string>& overrides);

/// Describes how a folding target spends its budget. Empty for other targets.
[[nodiscard]] std::string describe_protocol(const input::BatchFile& batch, const TargetSize& size);

/// Returns default values of a protocol in the form of --set. The input overrides them.
[[nodiscard]] const std::vector<std::string>& protocol_defaults(input::Protocol protocol);
/// Returns the values of a part in the form of --set. They override the input.
[[nodiscard]] std::vector<std::string> stage_values(const ensemble::StageParameters& plan,
                                                    ensemble::Stage stage);
/// Placeholder for settings that are read before the plan is known, which depends on the size.
inline constexpr ensemble::StageParameters placeholder_plan{1, 1, 100, 100, 1000, 0, 1000, 0};
[[nodiscard]] std::vector<std::string> joined(std::vector<std::string> values,
                                              const std::vector<std::string>& more);

/// Throws InputError for a condensate model. Called before anything that such a model lacks.
void require_go_model(const input::TargetInput& input, const std::vector<std::string>& overrides,
                      const std::string& where);
/// Throws InputError if there are no native contacts.
void require_contacts(const topology::Topology& topology, const std::string& where);

[[nodiscard]] ensemble::SystemSize system_size(const input::Settings& settings,
                                               const topology::Topology& topology);
/// Returns the budget of a target [s of an H200].
[[nodiscard]] double target_budget_seconds(const input::BatchFile& batch, std::int64_t residues);

/// Returns the weight of a target in a common wait of a rank: the residues of all its replicas.
[[nodiscard]] double wait_weight(const TargetSize& size);

}  // namespace nfold::batch
