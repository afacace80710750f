// Error of reading or writing a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "core/failure.hpp"

namespace nfold::storage {

/// Failed file operation. The message holds file, location, value found and remedy.
class FileError : public core::Failure {
 public:
  explicit FileError(const std::string& message, core::Outcome outcome = core::Outcome::failure)
      : core::Failure(message, outcome, core::Reach::all_ranks) {}
};

}  // namespace nfold::storage
