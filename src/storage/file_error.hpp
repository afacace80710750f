// A file could not be written or read.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace nfold::storage {

/// The message names file, place, what was found and what to do.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace nfold::storage
