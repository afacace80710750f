// Layouts of files of forces.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/forces_file.hpp"

#include <fmt/format.h>

#include <iterator>
#include <span>

#include "io/hdf5_files.hpp"

namespace nfold::io {

std::string forces_csv(const ForceTable& forces) {
  std::string text = "frame,bead,force_x_kj_mol_nm,force_y_kj_mol_nm,force_z_kj_mol_nm\n";
  for (std::size_t row = 0; row < forces.force_kj_mol_nm.size(); ++row) {
    const auto& f = forces.force_kj_mol_nm[row];
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", forces.frames[row / forces.beads],
                   row % forces.beads + 1, f[0], f[1], f[2]);
  }
  return text;
}

void write_forces_hdf5(const std::filesystem::path& path, const ForceTable& forces) {
  write_hdf5_atomically(path, [&](hid_t file, const std::string& what) {
    storage::write_text_attribute(file, "format", "nfold forces", what);
    (void)storage::write_dataset(file, "frame", std::span<const std::int64_t>(forces.frames), what);
    const hsize_t extent[] = {forces.frames.size(), forces.beads, 3};
    const auto dataset =
        storage::make_dataset(file, "force_kj_mol_nm", storage::hdf5_type<double>(), extent,
                              forces.force_kj_mol_nm.data(), what);
    storage::write_unit(dataset, "kJ mol-1 nm-1", what);
  });
}

}  // namespace nfold::io
