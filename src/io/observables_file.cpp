// Writer of NAME.observables.h5.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/observables_file.hpp"

#include "io/hdf5_files.hpp"

namespace nfold::io {

using namespace storage;

namespace {

void write_header(hid_t file, const ObservablesHeader& header, const std::string& what) {
  write_text_attribute(file, "format", "nfold observables", what);
  write_attribute(file, "format_version", std::int64_t{1}, what);
  write_text_attribute(file, "creator_version", header.creator_version, what);
  write_attribute(file, "frames", header.frames, what);
  write_attribute(file, "first_step", header.first_step, what);
  write_attribute(file, "last_step", header.last_step, what);
  write_attribute(file, "every_steps", header.every_steps, what);
  write_attribute(file, "time_step_ps", header.time_step_ps, what);
  const hsize_t three[] = {3};
  write_raw_attribute(file, "box_nm", H5T_NATIVE_DOUBLE, three, header.box_nm.data(), what);
}

void write_species(hid_t file, const std::vector<ObservedSpecies>& all, const std::string& what) {
  const auto group = make_group(file, "species", what);
  std::vector<std::string> names;
  std::vector<std::int64_t> chains, residues;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto& species = all[k];
    names.push_back(species.name);
    chains.push_back(species.chains);
    residues.push_back(static_cast<std::int64_t>(species.residue_names.size()));
    write_texts(group, "residue_names_" + std::to_string(k), species.residue_names,
                longest(species.residue_names), what);
  }
  write_texts(group, "name", names, longest(names), what);
  write_dataset(group, "chains", std::span<const std::int64_t>(chains), what);
  write_dataset(group, "residues", std::span<const std::int64_t>(residues), what);
}

void write_table(hid_t file, const ObservedTable& table, const std::string& what) {
  const auto slash = table.path.find('/');
  const auto subject = table.path.substr(0, slash), name = table.path.substr(slash + 1);
  const auto group =
      has_link(file, subject) ? open_group(file, subject, what) : make_group(file, subject, what);
  const std::vector<hsize_t> extent(table.extent.begin(), table.extent.end());
  const auto make = [&]<class T>(const std::vector<T>& values) {
    return make_dataset(group, name, hdf5_type<T>(), extent, values.data(), what);
  };
  const auto dataset = table.counts ? make(*table.counts) : make(table.values);
  if (!table.unit.empty()) write_unit(dataset, table.unit, what);
  write_text_attribute(dataset, "description", table.description, what);
}

}  // namespace

void write_observables(const std::filesystem::path& path, const ObservablesHeader& header,
                       std::span<const ObservedTable> tables) {
  write_hdf5_atomically(path, [&](hid_t file, const std::string& what) {
    write_header(file, header, what);
    write_species(file, header.species, what);
    for (const auto& table : tables) write_table(file, table, what);
  });
}

}  // namespace nfold::io
