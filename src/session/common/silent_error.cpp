// Bookkeeping of verified blocks, and messages about silent errors.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/common/silent_error.hpp"

#include <fmt/core.h>

#include <sstream>

#include "comm/rank_record.hpp"
#include "core/status/incident_line.hpp"
#include "core/telemetry/step_clock.hpp"
#include "core/text.hpp"

namespace nfold::common {
core::Suspect broadcast_suspect(const comm::Communicator& communicator, int rank) {
  const auto own = comm::own_suspect();
  std::istringstream lines(
      communicator.broadcast(fmt::format("{}\n{}\n{}\n", *own.rank, own.host, own.device), rank));
  core::Suspect suspect;
  std::string number;
  std::getline(lines, number);
  std::getline(lines, suspect.host);
  std::getline(lines, suspect.device);
  suspect.rank = std::stoi(number);
  return suspect;
}

std::string describe_verification(const SilentError& error) {
  const std::string whose =
      error.suspect ? "Rank " + status::describe_suspect(*error.suspect) + " computed wrongly"
                    : std::string("The differences do not tell which device computed wrongly");
  return fmt::format(
      "a silent error: steps {} to {} came out otherwise when they were computed "
      "again, and {}; {}. {}",
      error.first_step, error.last_step,
      error.has_majority ? "a third computation decided"
                         : "a third computation came out otherwise again",
      error.details, whose);
}

std::string silent_error_remedy(const SilentError& error, int ranks,
                                const std::filesystem::path& checkpoint) {
  if (!error.has_majority) {
    return " No state of these steps can be trusted: the last checkpoint before them stands. "
           "Test the devices (memory, temperature, power), then start the same command again";
  }
  const std::string saved =
      fmt::format(" The verified state of step {} is in {}", error.last_step, checkpoint.string());
  return ranks > 1 ? saved +
                         ": start the same command again without that device, as nfold launch "
                         "does by itself"
                   : saved +
                         ": it is not the first silent error of this device; start the same "
                         "command again on another one";
}

std::string describe_verification(const VerificationTotals& work, std::int64_t steps) {
  const double more =
      steps > 0 ? 100.0 * static_cast<double>(work.repeated_steps) / static_cast<double>(steps) : 0;
  return fmt::format("verified {}, {}: {:.3g} % more steps, {:.2g} s",
                     core::pluralise(work.blocks, "block"),
                     work.errors == 0 ? std::string("all equal")
                                      : fmt::format("{} with a silent error", work.errors),
                     more, work.seconds);
}

std::optional<SilentError> BlockVerification::recompute(
    std::int64_t first_step, std::int64_t steps, const std::function<bool()>& second_agrees,
    const std::function<SilentError()>& decide) {
  const auto now = telemetry::steady_seconds();
  const double began = now();
  ++work_.blocks;
  work_.repeated_steps += steps;
  std::optional<SilentError> error;
  if (!second_agrees()) {
    work_.repeated_steps += steps;
    ++work_.errors;
    error = decide();
    error->first_step = first_step;
    error->last_step = first_step + steps;
  }
  work_.seconds += now() - began;
  return error;
}

}  // namespace nfold::common
