// Silent errors: wrong results without another sign.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "core/failure.hpp"

namespace nfold::common {

/// Difference between repeated computations of the same steps. Equal on all ranks.
struct SilentError {
  std::int64_t first_step = 0, last_step = 0;
  bool has_majority = false;  ///< two of three computations agree, and the run has their state
  std::optional<core::Suspect> suspect{};  ///< rank at fault, if the differences identify it
  std::string details;                     ///< "3 residues differ, most residue 17, by 2.1e-05 nm"
};

/// Collective: returns rank `rank` of this communicator as a suspect.
[[nodiscard]] core::Suspect broadcast_suspect(const comm::Communicator& communicator, int rank);

/// Returns a description: steps, differences and suspect.
[[nodiscard]] std::string describe_verification(const SilentError& error);
/// Returns the remedy that follows the description, " The verified state ...". checkpoint: file
/// with the verified state.
[[nodiscard]] std::string silent_error_remedy(const SilentError& error, int ranks,
                                              const std::filesystem::path& checkpoint);
/// Blocks that were computed twice in a session, and their cost.
struct VerificationTotals {
  std::int64_t blocks = 0, repeated_steps = 0, errors = 0;
  double seconds = 0;  ///< beyond the first computation
};
/// Returns "verified 12 blocks, all equal: 1.0 % more steps, 2.1 s". steps: of the session.
[[nodiscard]] std::string describe_verification(const VerificationTotals& work, std::int64_t steps);

/// Counts and times the blocks that are computed again. Base of the verifications of runs and of
/// ensembles.
class BlockVerification {
 public:
  [[nodiscard]] const VerificationTotals& work() const { return work_; }

 protected:
  /// Collective. `second_agrees` computes the steps a second time and compares; if it returns
  /// false, `decide` computes them a third time. Returns the result of `decide` with the steps.
  [[nodiscard]] std::optional<SilentError> recompute(std::int64_t first_step, std::int64_t steps,
                                                     const std::function<bool()>& second_agrees,
                                                     const std::function<SilentError()>& decide);

 private:
  VerificationTotals work_;
};

}  // namespace nfold::common
