// Writer of the results of a batch.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/results_file.hpp"

#include "io/hdf5_files.hpp"

namespace nfold::io {

void write_results(const std::filesystem::path& path, std::span<const ResultColumn> columns) {
  write_hdf5_atomically(path, [&](hid_t file, const std::string& what) {
    storage::write_text_attribute(file, "format", "nfold results", what);
    storage::write_attribute(file, "format_version", std::int64_t{1}, what);
    for (const auto& column : columns) {
      if (const auto* texts = std::get_if<std::vector<std::string>>(&column.values)) {
        storage::write_texts(file, column.name, *texts, longest(*texts), what);
      } else if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
        storage::write_dataset(file, column.name, std::span(*numbers), what);
      } else {
        const auto& offsets = std::get<std::vector<std::int64_t>>(column.values);
        storage::write_dataset(file, column.name, std::span(offsets), what);
      }
    }
  });
}

}  // namespace nfold::io
