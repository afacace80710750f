// Error of reading or writing a file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace nfold::storage {

/// Failed file operation. The message holds file, location, value found and remedy.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace nfold::storage
