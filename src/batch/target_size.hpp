// Size and work of a target, known before it starts, and the settings of its protocol.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "estimate/dispatch.hpp"
#include "input/batch_file.hpp"
#include "input/settings.hpp"
#include "session/ensemble/folding_protocol.hpp"
#include "session/setup/species_setup.hpp"

namespace nfold::batch {

struct TargetSize {
  estimate::TargetWork work;
  input::Execution execution = input::Execution::automatic;
  input::Protocol protocol = input::Protocol::run;
  std::string problem;             ///< Reason for which it cannot begin. Empty: none.
  std::vector<std::string> notes;  ///< Notes on its structure file.
};
void to_json(nlohmann::json& json, const TargetSize& size);
void from_json(const nlohmann::json& json, TargetSize& size);

/// Function of a target's system and of the settings of its parts, whose paths start from `base`.
using PartsVisitor =
    std::function<void(const setup::SystemSetup& system, const std::vector<input::Settings>& parts,
                       const std::filesystem::path& base)>;
/// Reads and builds the target's system on one process. overrides: values of --set. visit: called
/// before the system is destroyed. A failure of the target is not thrown but returned as `problem`.
[[nodiscard]] TargetSize read_target_size(const input::BatchFile& batch,
                                          const input::BatchTarget& target,
                                          const std::vector<std::string>& overrides,
                                          const PartsVisitor& visit = {});

/// Describes the replicas and steps of a target by its protocol. Empty for a run.
[[nodiscard]] std::string describe_protocol(const input::BatchFile& batch, const TargetSize& size);

/// Returns the settings of a part: defaults of the protocol, the input, --set, then the part's
/// plan.
[[nodiscard]] input::Settings stage_settings(const input::TargetInput& input,
                                             const std::vector<std::string>& overrides,
                                             const ensemble::StageParameters& plan,
                                             ensemble::Stage stage);
/// Returns the settings of the only part of the protocol chain. residues: of the chain.
[[nodiscard]] input::Settings chain_settings(const input::TargetInput& input,
                                             const std::vector<std::string>& overrides,
                                             std::int64_t residues);
/// Returns the settings of a run, or those of the first part of another protocol for any size of
/// the system.
[[nodiscard]] input::Settings first_settings(const input::TargetInput& input,
                                             const std::vector<std::string>& overrides);

/// Throws InputError for a condensate model. Called before anything that such a model lacks.
void require_go_model(const input::TargetInput& input, const std::vector<std::string>& overrides,
                      const std::string& where);
/// Returns the distribution of a target's budget. Throws InputError if there are no native
/// contacts.
[[nodiscard]] ensemble::FoldingProtocol make_protocol(const input::BatchFile& batch,
                                                      const input::Settings& settings,
                                                      const setup::SystemSetup& system,
                                                      const std::string& where);

/// Returns the weight of a target in a common wait of a rank: the residues of all its replicas.
[[nodiscard]] double wait_weight(const TargetSize& size);

}  // namespace nfold::batch
