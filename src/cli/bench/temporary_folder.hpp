// Folder for files that a measurement needs, removed afterwards.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace nfold::bench {

class TemporaryFolder {
 public:
  /// Throws core::Failure if none can be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace nfold::bench
