// Parser of standard error of mpirun, srun and nfold: rank, host and cause of a failure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "core/outcome.hpp"

namespace nfold::supervise {

/// Facts found in standard error.
struct ErrorOutput {
  std::optional<int> rank;               ///< First rank named as failed.
  std::string host;                      ///< Host of that rank.
  std::optional<int> signal;             ///< Signal that killed it.
  std::optional<int> exit_code;          ///< Its exit code.
  std::string lost_host;                 ///< Node that does not respond.
  std::string not_started;               ///< Message of the launcher if no rank started.
  std::string error;                     ///< First error message of nfold.
  std::optional<core::Outcome> outcome;  ///< First outcome that nfold printed.
  std::string seen;                      ///< Line that named the rank or the node.
  std::deque<std::string> last_lines;
};

/// Parser that reads line by line and keeps the last lines.
class ErrorOutputReader {
 public:
  static constexpr std::size_t kept_lines = 20;
  void read(std::string_view line);
  [[nodiscard]] const ErrorOutput& words() const { return words_; }

 private:
  void read_launcher(const std::string& line);
  void read_nfold(const std::string& line);
  void blame(std::optional<int> rank, const std::string& line);

  ErrorOutput words_;
};

}  // namespace nfold::supervise
