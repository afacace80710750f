// Objects of an H5MD 1.1 file (de Buyl et al., Comput. Phys. Commun. 185, 1546 (2014)).
// SPDX-License-Identifier: BSD-3-Clause
#include "io/h5md_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <span>

#include "io/hdf5_files.hpp"

// Requirements of readers beyond the standard. MDAnalysis: `unit` as a variable-length text,
// explicit step and time, a group named `trajectory`, observables on the trajectory's time grid.
// VMD plugin: fixed species and a separate group of names.
namespace nfold::io::h5md {

using namespace storage;

namespace {

constexpr const char* group_path = "/particles/trajectory";

void write_versions(hid_t file, const TrajectoryDescription& description, const std::string& what) {
  const hsize_t two[] = {2};
  const auto h5md = make_group(file, "h5md", what);
  const std::array<std::int32_t, 2> version = {1, 1};
  write_raw_attribute(h5md, "version", H5T_NATIVE_INT32, two, version.data(), what);
  write_text_attribute(make_group(h5md, "author", what), "name", description.author, what);
  const auto creator = make_group(h5md, "creator", what);
  write_text_attribute(creator, "name", "nfold", what);
  write_text_attribute(creator, "version", description.creator_version, what);
  const auto modules = make_group(h5md, "modules", what);
  const auto units = make_group(modules, "units", what);
  const std::array<std::int32_t, 2> units_version = {1, 0};
  write_raw_attribute(units, "version", H5T_NATIVE_INT32, two, units_version.data(), what);
  write_text_attribute(units, "system", "SI", what);
}

// Writes the box. H5MD allows edges that change with time, and MDAnalysis reads no others: see
// write_series().
void write_box(hid_t particles, const TrajectoryDescription& description, const std::string& what) {
  const auto box = make_group(particles, "box", what);
  write_attribute(box, "dimension", std::int32_t{3}, what);
  constexpr std::size_t width = 8;  // length of "periodic", without a terminator
  std::string boundary;
  for (const double length : description.box_nm) {
    std::string text = length > 0 ? "periodic" : "none";
    text.resize(width, '\0');
    boundary += text;
  }
  Hdf5Id type(H5Tcopy(H5T_C_S1), what, "make a text type");
  check_hdf5(H5Tset_size(type, width), what, "set a text's length");
  check_hdf5(H5Tset_strpad(type, H5T_STR_NULLPAD), what, "set a text's padding");
  const hsize_t three[] = {3};
  write_raw_attribute(box, "boundary", type, three, boundary.data(), what);
}

Hdf5Id make_series(hid_t group, const std::string& name, hid_t type,
                   const std::vector<hsize_t>& row, hsize_t rows_per_chunk, const std::string& unit,
                   const std::string& what) {
  std::vector<hsize_t> extent = {0}, limit = {H5S_UNLIMITED}, chunk = {rows_per_chunk};
  for (const auto n : row) {
    extent.push_back(n);
    limit.push_back(n);
    chunk.push_back(n);
  }
  const int rank = static_cast<int>(extent.size());
  const Hdf5Id space(H5Screate_simple(rank, extent.data(), limit.data()), what, "make a dataspace");
  const Hdf5Id settings(H5Pcreate(H5P_DATASET_CREATE), what, "make dataset settings");
  check_hdf5(H5Pset_obj_track_times(settings, false), what, "leave out time stamps");
  check_hdf5(H5Pset_chunk(settings, rank, chunk.data()), what, "choose a chunk");
  // A chunk of one row is always written completely, possibly in parts. Without fill values its
  // parts need no chunk in memory.
  const auto fill = rows_per_chunk == 1 ? H5D_FILL_TIME_NEVER : H5D_FILL_TIME_ALLOC;
  check_hdf5(H5Pset_fill_time(settings, fill), what, "fill new chunks");
  Hdf5Id dataset(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, settings, H5P_DEFAULT),
                 what, "make the series " + name);
  if (!unit.empty()) write_unit(dataset, unit, what);
  return dataset;
}

void link_grid(hid_t file, hid_t group, const std::string& what) {
  for (const char* name : {"step", "time"}) {
    const auto source = fmt::format("{}/position/{}", group_path, name);
    check_hdf5(H5Lcreate_hard(file, source.c_str(), group, name, H5P_DEFAULT, H5P_DEFAULT), what,
               "link the time grid");
  }
}

void write_series(hid_t file, hid_t particles, const TrajectoryDescription& description,
                  const std::string& what) {
  const auto residues = static_cast<hsize_t>(description.residue_count());
  // Chunks of about 32 KiB: small enough to be rewritten at each commit, few enough per megabyte to
  // read.
  const hsize_t per_chunk =
      std::clamp<hsize_t>(32768 / (12 * std::max<hsize_t>(residues, 1)), 1, 64);
  constexpr hsize_t scalars_per_chunk = 512;
  const auto position = make_group(particles, "position", what);
  make_series(position, "step", H5T_NATIVE_INT64, {}, scalars_per_chunk, "", what);
  make_series(position, "time", H5T_NATIVE_DOUBLE, {}, scalars_per_chunk, "ps", what);
  make_series(position, "value", H5T_NATIVE_FLOAT, {residues, 3}, per_chunk, "nm", what);
  if (description.has_box()) {
    const auto edges = make_group(open_group(particles, "box", what), "edges", what);
    make_series(edges, "value", H5T_NATIVE_DOUBLE, {3, 3}, scalars_per_chunk, "nm", what);
    link_grid(file, edges, what);
  }
  if (description.velocities) {
    const auto velocity = make_group(particles, "velocity", what);
    make_series(velocity, "value", H5T_NATIVE_FLOAT, {residues, 3}, per_chunk, "nm ps-1", what);
    link_grid(file, velocity, what);
  }
  const auto observables = make_group(file, "observables", what);
  for (const auto& observable : description.observables) {
    const auto group = make_group(observables, observable.name, what);
    make_series(group, "value", H5T_NATIVE_DOUBLE, {}, scalars_per_chunk, observable.unit, what);
    link_grid(file, group, what);
  }
}

constexpr std::size_t block_rows = 1 << 16;

/// Numbers in a row of a column: one, or those of an array.
template <class T>
struct RowOf {
  using Number = T;
  static constexpr std::size_t numbers = 1;
};
template <class T, std::size_t n>
struct RowOf<std::array<T, n>> {
  using Number = T;
  static constexpr std::size_t numbers = n;
};

/// Writes a column as a dataset, block by block: (rows), or (rows, numbers) for a column of arrays.
template <class T>
Hdf5Id write_column(hid_t parent, const std::string& name, const Column<T>& column,
                    const std::string& what) {
  constexpr auto numbers = RowOf<T>::numbers;
  const auto type = hdf5_type<typename RowOf<T>::Number>();
  std::vector<hsize_t> extent{column.size()};
  if (numbers > 1) extent.push_back(numbers);
  auto dataset = make_dataset(parent, name, type, extent, nullptr, what);
  std::vector<T> block;
  for (std::size_t first = 0; first < column.size(); first += block_rows) {
    block.clear();
    for (auto row = first; row < std::min(first + block_rows, column.size()); ++row) {
      block.push_back(column[row]);
    }
    transfer_rows(Transfer::write, dataset, type, static_cast<std::int64_t>(first),
                  static_cast<std::int64_t>(block.size()), block.data(), block.size() * numbers,
                  what);
  }
  return dataset;
}

/// Returns the column 0, 1, 2, ...
Column<std::int32_t> row_numbers(std::size_t rows) {
  return {rows, [](std::size_t row) { return static_cast<std::int32_t>(row); }};
}

/// Writes texts in fields of `width` bytes, truncated to `most` bytes, block by block.
void write_names(hid_t parent, const std::string& name, const Column<std::string>& texts,
                 std::size_t width, std::size_t most, const std::string& what) {
  const hsize_t extent[] = {texts.size()};
  const auto type = text_type(width, what);
  const auto dataset = make_dataset(parent, name, type, extent, nullptr, what);
  std::string block;
  for (std::size_t first = 0; first < texts.size(); first += block_rows) {
    const auto rows = std::min(block_rows, texts.size() - first);
    block.assign(rows * width, '\0');
    for (std::size_t row = 0; row < rows; ++row) {
      const std::string text = texts[first + row];
      std::copy_n(text.begin(), std::min(most, text.size()),
                  block.begin() + static_cast<std::ptrdiff_t>(row * width));
    }
    transfer_rows(Transfer::write, dataset, type, static_cast<std::int64_t>(first),
                  static_cast<std::int64_t>(rows), block.data(), rows, what);
  }
}

/// Writes texts in fields as wide as the longest one.
void write_whole_names(hid_t parent, const std::string& name, const Column<std::string>& texts,
                       const std::string& what) {
  const auto width = longest(texts);
  write_names(parent, name, texts, width, width, what);
}

/// Returns the sorted names of residues. A residue's species is the index of its name.
std::vector<std::string> sorted_residue_names(const Column<std::string>& residue_names) {
  std::set<std::string> unique;
  for (const auto& name : residue_names) unique.insert(name);
  return {unique.begin(), unique.end()};
}

void write_fixed(hid_t particles, const TrajectoryDescription& description,
                 const std::vector<std::string>& species, const std::string& what) {
  const auto rows = description.residue_count();
  const Column<std::int32_t> kinds(rows, [&](std::size_t row) {
    const std::string name = description.residue_names[row];
    return static_cast<std::int32_t>(std::ranges::lower_bound(species, name) - species.begin());
  });
  write_column(particles, "species", kinds, what);
  write_column(particles, "id", row_numbers(rows), what);
  write_unit(write_column(particles, "mass", description.masses_amu, what), "u", what);
  const auto charge = write_column(particles, "charge", description.charges_e, what);
  write_unit(charge, "e", what);
  write_text_attribute(charge, "type", "effective", what);
}

void write_bonds(hid_t file, const TrajectoryDescription& description, const std::string& what) {
  const auto connectivity = make_group(file, "connectivity", what);
  const auto bonds = write_column(connectivity, "bonds", description.bonds, what);
  hobj_ref_t reference{};
  check_hdf5(H5Rcreate(&reference, file, group_path, H5R_OBJECT, H5I_INVALID_HID), what,
             "refer to the particles");
  write_raw_attribute(bonds, "particles_group", H5T_STD_REF_OBJ, {}, &reference, what);
}

// Writes /parameters/native. The H5MD standard has no group for a reference structure.
void write_native(hid_t parameters, const TrajectoryDescription& description,
                  const std::string& what) {
  if (description.native_positions_nm.empty()) return;
  const auto native = make_group(parameters, "native", what);
  write_unit(write_column(native, "position", description.native_positions_nm, what), "nm", what);
  write_column(native, "contacts", description.native_contacts, what);
}

// Writes the group of the VMD plugin. As VMD does, it counts residues from 0 (resid is the row of
// resname and chain) and atoms of a bond from 1.
void write_vmd_structure(hid_t parameters, const TrajectoryDescription& description,
                         const std::vector<std::string>& species, const std::string& what) {
  const auto vmd = make_group(parameters, "vmd_structure", what);
  const auto kinds = species.size();
  write_column(vmd, "indexOfSpecies", row_numbers(kinds), what);
  write_texts(vmd, "name", std::vector<std::string>(kinds, "CA"), 16, what);
  write_texts(vmd, "type", species, 16, what);
  constexpr double radius_angstrom = 2;
  constexpr std::int32_t carbon = 6;
  write_column(vmd, "radius", Column(std::vector(kinds, radius_angstrom)), what);
  write_column(vmd, "atomicnumber", Column(std::vector(kinds, carbon)), what);
  write_column(vmd, "resid", row_numbers(description.residue_count()), what);
  // The plugin copies whole fields, so the last byte of each must be the terminator.
  write_names(vmd, "resname", description.residue_names, 8, 7, what);
  write_names(vmd, "segid", description.chain_names, 8, 7, what);
  write_names(vmd, "chain", description.chain_names, 2, 1, what);
  const auto write_ends = [&](const char* name, std::size_t end) {
    const Column<std::int32_t> numbers(description.bonds.size(), [&](std::size_t row) {
      const auto ends = description.bonds[row];
      return ends[end] + 1;
    });
    write_column(vmd, name, numbers, what);
  };
  write_ends("bond_from", 0);
  write_ends("bond_to", 1);
}

}  // namespace

void create_file(hid_t file, const TrajectoryDescription& description, const std::string& what) {
  write_versions(file, description, what);
  const auto particles = make_group(make_group(file, "particles", what), "trajectory", what);
  write_box(particles, description, what);
  write_series(file, particles, description, what);
  const auto species = sorted_residue_names(description.residue_names);
  write_fixed(particles, description, species, what);
  write_bonds(file, description, what);
  const auto parameters = make_group(file, "parameters", what);
  if (!description.subject.empty()) {
    write_text_attribute(parameters, "description", description.subject, what);
  }
  write_vmd_structure(parameters, description, species, what);
  write_native(parameters, description, what);
  write_unit(write_dataset(parameters, "box", std::span<const double>(description.box_nm), what),
             "nm", what);
  const auto residues = make_group(parameters, "residues", what);
  write_whole_names(residues, "name", description.residue_names, what);
  write_whole_names(residues, "chain", description.chain_names, what);
  write_column(residues, "number", description.residue_numbers, what);
}

namespace {

void require_count(std::size_t found, std::size_t residues, const char* name,
                   const std::string& what) {
  if (found == residues) return;
  throw FileError(fmt::format("{}: the file is damaged: {} has {} values for {} residues", what,
                              name, found, residues));
}

/// Throws unless all columns are as long as the names, and bonds refer to existing residues.
void require_whole(const TrajectoryDescription& description, const std::string& what) {
  const auto residues = description.residue_count();
  require_count(description.chain_names.size(), residues, "residues/chain", what);
  require_count(description.residue_numbers.size(), residues, "residues/number", what);
  require_count(description.masses_amu.size(), residues, "mass", what);
  require_count(description.charges_e.size(), residues, "charge", what);
  for (std::size_t k = 0; k < description.bonds.size(); ++k) {
    for (const int end : description.bonds[k]) {
      if (end >= 0 && static_cast<std::size_t>(end) < residues) continue;
      throw FileError(fmt::format("{}: the file is damaged: bond {} ends at residue {} of {}", what,
                                  k, end, residues));
    }
  }
}

}  // namespace

Series open_series(hid_t file, const TrajectoryDescription& description, const std::string& what) {
  const auto particles = open_group(file, group_path, what);
  const auto steps = read_extent(open_dataset(particles, "position/step", what), what);
  const hsize_t frames = steps.empty() ? 0 : steps[0];
  const hsize_t residues = description.residue_count();
  // All series have as many frames as the first.
  const auto open = [&](hid_t group, const std::string& path, std::initializer_list<hsize_t> row) {
    auto dataset = open_dataset(group, path, what);
    std::vector<hsize_t> extent{frames};
    extent.insert(extent.end(), row);
    require_extent(dataset, path, extent, what);
    return dataset;
  };
  Series series;
  series.step = open(particles, "position/step", {});
  series.time = open(particles, "position/time", {});
  series.position = open(particles, "position/value", {residues, 3});
  if (description.velocities) series.velocity = open(particles, "velocity/value", {residues, 3});
  if (description.has_box()) series.edges = open(particles, "box/edges/value", {3, 3});
  for (const auto& observable : description.observables) {
    series.observables.push_back(open(file, "observables/" + observable.name + "/value", {}));
  }
  return series;
}

TrajectoryDescription read_description(hid_t file, const std::string& what) {
  TrajectoryDescription description;
  const auto creator = open_group(file, "/h5md/creator", what);
  if (read_text_attribute(creator, "name", what) != "nfold") {
    throw FileError(what + ": an H5MD file that nfold did not write (give one of nfold's)");
  }
  description.creator_version = read_text_attribute(creator, "version", what);
  const auto residues = open_group(file, "/parameters/residues", what);
  description.residue_names = read_texts(residues, "name", what);
  description.chain_names = read_texts(residues, "chain", what);
  description.residue_numbers = read_dataset<std::int32_t>(residues, "number", what);
  const auto particles = open_group(file, group_path, what);
  description.masses_amu = read_dataset<double>(particles, "mass", what);
  description.charges_e = read_dataset<double>(particles, "charge", what);
  description.velocities = has_link(particles, "velocity");
  if (has_link(file, "/parameters/box")) {
    const auto lengths = read_dataset<double>(file, "/parameters/box", what);
    if (lengths.size() != 3)
      throw FileError(what + ": /parameters/box does not hold three lengths");
    std::copy_n(lengths.begin(), 3, description.box_nm.begin());
  }
  const auto ends = read_dataset<std::int32_t>(file, "/connectivity/bonds", what);
  for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
    description.bonds.push_back({ends[i], ends[i + 1]});
  }
  const auto observables = open_group(file, "observables", what);
  for (const auto& name : link_names(observables, what)) {
    const auto value = open_dataset(observables, name + "/value", what);
    const bool has_unit = H5Aexists(value, "unit") > 0;
    description.observables.push_back(
        {name, has_unit ? read_text_attribute(value, "unit", what) : ""});
  }
  require_whole(description, what);
  return description;
}

void resize_series(const Series& series, std::int64_t frames, const std::string& what) {
  const auto resize = [&](hid_t dataset) {
    auto extent = read_extent(dataset, what);
    extent[0] = static_cast<hsize_t>(frames);
    check_hdf5(H5Dset_extent(dataset, extent.data()), what, "change the number of frames");
  };
  resize(series.step);
  resize(series.time);
  resize(series.position);
  if (series.velocity >= 0) resize(series.velocity);
  if (series.edges >= 0) resize(series.edges);
  for (const auto& observable : series.observables) resize(observable);
}

void write_part_of_frame(hid_t dataset, std::int64_t frame, std::size_t first,
                         std::span<const float> values, const std::string& what) {
  const hsize_t start[] = {static_cast<hsize_t>(frame), first, 0};
  const hsize_t extent[] = {1, values.size() / 3, 3};
  const Hdf5Id in_file(H5Dget_space(dataset), what, "inspect a series");
  check_hdf5(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, nullptr, extent, nullptr), what,
             "select residues");
  const Hdf5Id in_memory(H5Screate_simple(3, extent, nullptr), what, "make a dataspace");
  check_hdf5(H5Dwrite(dataset, H5T_NATIVE_FLOAT, in_memory, in_file, H5P_DEFAULT, values.data()),
             what, "write a part of a frame");
}

}  // namespace nfold::io::h5md
