// Base class of exceptions, and error messages on standard error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/outcome.hpp"

namespace nfold::core {

/// Rank and device at fault. Each member may be unknown.
struct Suspect {
  std::optional<int> rank{};  ///< in the whole job
  std::string host{};
  std::string device{};  ///< UUID of its GPU; empty: CPU
  /// Written out, since one file is compiled as C++17 (model/structure/CMakeLists.txt).
  bool operator==(const Suspect& other) const {
    return rank == other.rank && host == other.host && device == other.device;
  }
};

/// Ranks that throw a failure.
enum class Reach {
  one_rank,  ///< this rank alone: the others wait, so the job must be aborted
  all_ranks  ///< every rank, at the same point
};

/// Base class of all exceptions of nfold.
class Failure : public std::runtime_error {
 public:
  explicit Failure(const std::string& message, Outcome outcome = Outcome::failure,
                   Reach reach = Reach::one_rank, std::optional<Suspect> suspect = {})
      : std::runtime_error(message),
        outcome_(outcome),
        reach_(reach),
        suspect_(std::move(suspect)) {}
  [[nodiscard]] Outcome outcome() const { return outcome_; }
  [[nodiscard]] ExitCode exit_code() const { return to_exit_code(outcome_); }
  [[nodiscard]] bool is_collective() const { return reach_ == Reach::all_ranks; }
  /// Rank and device at fault; none if unknown.
  [[nodiscard]] const std::optional<Suspect>& suspect() const { return suspect_; }

 private:
  Outcome outcome_;
  Reach reach_;
  std::optional<Suspect> suspect_;
};

/// Marks this process as part of an attempt of nfold launch. Empty: no mark.
void mark_attempt(const std::string& attempt);
/// Identifier set by mark_attempt(); empty: none.
[[nodiscard]] const std::string& own_attempt();

/// Start of the line that gives the outcome to nfold launch, which may find no status file.
inline constexpr const char* outcome_line_start = "nfold: outcome: ";

/// Prints each line of `message` as "nfold: error: ..." on standard error. Within an attempt of
/// nfold launch the outcome follows on a line of its own.
void print_error(const std::string& message, std::optional<Outcome> outcome = {});
/// Prints each line of `message` as "nfold: warning: ..." on standard error.
void print_warning(const std::string& message);

}  // namespace nfold::core
