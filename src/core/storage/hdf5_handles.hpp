// HDF5 identifiers with automatic closing, and HDF5 failures as FileError.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/storage/hdf5_storage.hpp"

namespace nfold::storage {

/// Owner of one HDF5 identifier of any kind.
class Hdf5Id {
 public:
  Hdf5Id() = default;
  /// Throws FileError "WHAT: HDF5 cannot ACTION: REASON" if `id` is negative.
  Hdf5Id(hid_t id, std::string_view what, std::string_view action);
  ~Hdf5Id() { close(); }
  Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    if (this != &other) {
      close();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
    }
    return *this;
  }
  Hdf5Id(const Hdf5Id&) = delete;
  Hdf5Id& operator=(const Hdf5Id&) = delete;

  operator hid_t() const { return id_; }  // NOLINT: usable wherever HDF5 takes an identifier
  /// Closes the identifier; for files, whose closing may fail. False on failure.
  bool close() noexcept;

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// Throws FileError like Hdf5Id's constructor if an HDF5 call returned a negative code.
void check_hdf5(herr_t code, std::string_view what, std::string_view action);

/// Returns the innermost reason on HDF5's error stack, "no reason given" if it is empty.
[[nodiscard]] std::string hdf5_reason();

/// Disables HDF5's error output and links to other files. Call before any other HDF5 function.
void silence_hdf5();

/// Creates or opens a file whose bytes pass through `storage`; `name` is for messages.
/// user_block_bytes: space for nfold before HDF5's first byte.
[[nodiscard]] Hdf5Id create_hdf5(Hdf5Storage& storage, const std::string& name,
                                 hsize_t user_block_bytes = 0);
enum class Hdf5Access { read, update };
[[nodiscard]] Hdf5Id open_hdf5(Hdf5Storage& storage, const std::string& name, Hdf5Access access);

}  // namespace nfold::storage
