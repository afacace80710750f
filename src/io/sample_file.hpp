// NAME.samples: what each replica of an ensemble was at each sample, as it is being made.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "storage/file_error.hpp"
#include "storage/posix_file.hpp"

namespace nfold::io {

/// One replica at one sample.
struct ReplicaSample {
  double potential_kj_mol = 0;  ///< in its state
  double contact_kj_mol = 0;    ///< native contacts' energy at strength 1
  double umbrella_variable_nm = 0;
  std::int32_t formed_contacts = 0;
  std::int32_t state = 0;  ///< index in the ladder, before any exchange at this step
};

/// All replicas at one step.
struct SampleRow {
  std::int64_t step = 0;
  std::vector<ReplicaSample> replica;
  std::vector<double> radius_of_gyration_nm;  ///< (replicas, species) means over chains
  /// (replicas, screenings) electrostatic energies with each, of a coulomb_kj_mol_nm of 1
  std::vector<double> screened;
};

/// Rows of fixed length in the machine's byte order, behind a header of 40 bytes
/// ("nfold-samples-4", zero, the numbers of replicas, screenings and species as int64). The last
/// word of a row is the checksum of the others and of their place in the file
/// (storage/checksum.hpp). For one rank. FileError.
class SampleFile {
 public:
  /// What a row holds.
  struct Extent {
    std::int64_t replicas = 0, screenings = 0, species = 1;
  };
  /// Continues behind the first `rows`, whose checksums it compares, and drops others; rows = 0
  /// makes the file anew.
  SampleFile(const std::filesystem::path& path, const Extent& extent, std::int64_t rows);

  /// std::invalid_argument for another number of replicas, screenings or species.
  void append(const SampleRow& row);
  void sync() { file_.sync(); }
  /// Of so many rows, without the header.
  [[nodiscard]] static std::int64_t bytes(std::int64_t rows, const Extent& extent);
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  /// FileError for a row that is not what was written.
  [[nodiscard]] SampleRow row(std::int64_t index) const;
  /// The error that row `index` is damaged.
  [[nodiscard]] storage::FileError damaged(std::int64_t index, const std::string& how) const;

 private:
  [[nodiscard]] std::int64_t place(std::int64_t row) const;
  [[nodiscard]] std::vector<std::byte> bytes_of_row(std::int64_t index) const;

  storage::PosixFile file_;
  Extent extent_;
  std::int64_t rows_;
};

}  // namespace nfold::io
