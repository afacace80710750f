// File NAME.samples: data of each replica of an ensemble at each sample, written during the run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/storage/file_error.hpp"
#include "core/storage/posix_file.hpp"

namespace nfold::io {

/// Data of one replica at one sample.
struct ReplicaSample {
  double potential_kj_mol = 0;  ///< energy in its thermodynamic state
  double contact_kj_mol = 0;    ///< energy of native contacts at strength 1
  double umbrella_variable_nm = 0;
  std::int32_t formed_contacts = 0;
  std::int32_t state = 0;  ///< index in the ladder, before any exchange at this step
};

/// Data of all replicas at one step.
struct SampleRow {
  std::int64_t step = 0;
  std::vector<ReplicaSample> replica;
  std::vector<double> quantities;  ///< (replicas, columns)
  /// (replicas, screenings) electrostatic energy with each screening, for coulomb_kj_mol_nm = 1
  std::vector<double> screened;
};

/// Rows of fixed length in the machine's byte order, behind a header of 40 bytes
/// ("nfold-samples-4", zero, the numbers of replicas, screenings and columns as int64). The last
/// word of a row is the checksum of the others and of their offset in the file
/// (core/storage/checksum.hpp). Failures throw FileError. For one rank.
class SampleFile {
 public:
  /// Dimensions of a row.
  struct Extent {
    std::int64_t replicas = 0, screenings = 0, columns = 1;
  };
  /// Opens the file, verifies the checksums of the first `rows` rows and drops the others. rows = 0
  /// creates the file.
  SampleFile(const std::filesystem::path& path, const Extent& extent, std::int64_t rows);

  /// Throws std::invalid_argument if the number of replicas, screenings or columns differs.
  void append(const SampleRow& row);
  void sync() { file_.sync(); }
  /// Returns the size of so many rows without the header [bytes].
  [[nodiscard]] static std::int64_t bytes(std::int64_t rows, const Extent& extent);
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  /// Reads a row. Throws FileError if its checksum is wrong.
  [[nodiscard]] SampleRow row(std::int64_t index) const;
  /// Returns the error for a damaged row.
  [[nodiscard]] storage::FileError damaged(std::int64_t index, const std::string& how) const;

 private:
  [[nodiscard]] std::int64_t offset(std::int64_t row) const;
  [[nodiscard]] std::vector<std::byte> bytes_of_row(std::int64_t index) const;

  storage::PosixFile file_;
  Extent extent_;
  std::int64_t rows_;
};

}  // namespace nfold::io
