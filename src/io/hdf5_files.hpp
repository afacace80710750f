// Whole HDF5 files: opened for reading, or written atomically.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>

#include "core/storage/hdf5_objects.hpp"

namespace nfold::io {

/// HDF5 file open for reading.
struct Hdf5File {
  explicit Hdf5File(const std::filesystem::path& path);
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  std::string what;  ///< name of the file in errors
  storage::PosixFile file;
  storage::DirectStorage storage;
  storage::Hdf5Id id;
};

/// Writes PATH.tmp by write(file, name of the file in errors), syncs it to disk and renames it.
/// Throws FileError; then PATH is unchanged.
void write_hdf5_atomically(const std::filesystem::path& path,
                           const std::function<void(hid_t file, const std::string& what)>& write);

/// Returns the length of the longest text, at least 1.
template <class Texts>
[[nodiscard]] std::size_t longest(const Texts& texts) {
  std::size_t length = 1;
  for (const auto& text : texts) length = std::max(length, text.size());
  return length;
}

}  // namespace nfold::io
