// HDF5 bytes written directly to a file, with deferred errors.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <exception>

#include "core/storage/hdf5_storage.hpp"

namespace nfold::storage {

DirectStorage::DirectStorage(PosixFile& file, PosixFile::Mode mode)
    : file_(file), size_(mode == PosixFile::Mode::create ? 0 : file.size()) {}

void DirectStorage::read(std::int64_t offset, std::span<std::byte> to) {
  file_.read_at(offset, to);
}

template <class Change>
void DirectStorage::keep_error(const Change& change) noexcept {
  if (error_) return;
  try {
    change();
  } catch (const std::exception&) {
    error_ = std::current_exception();
  }
}

void DirectStorage::write(std::int64_t offset, std::span<const std::byte> from) noexcept {
  size_ = std::max(size_, offset + static_cast<std::int64_t>(from.size()));
  keep_error([&] { file_.write_at(offset, from); });
}

void DirectStorage::resize(std::int64_t size) noexcept {
  size_ = size;
  keep_error([&] { file_.truncate(size); });
}

void DirectStorage::check() const {
  if (error_) std::rethrow_exception(error_);
}

}  // namespace nfold::storage
