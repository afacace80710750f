// HDF5 part of a checkpoint: header, texts, sums, and space for the rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_metadata.hpp"

#include <array>
#include <span>
#include <string>

#include "core/storage/checksum.hpp"
#include "core/storage/hdf5_objects.hpp"
#include "io/checkpoint_layout.hpp"
#include "system/box.hpp"

namespace nfold::io::checkpoint_metadata {

using namespace storage;

namespace {

namespace layout = checkpoint_layout;

// Writes the unit and description of a dataset, for readers without nfold.
void describe(hid_t dataset, const char* unit, const std::string& text, const std::string& what) {
  if (*unit != '\0') write_text_attribute(dataset, "unit", unit, what);
  write_text_attribute(dataset, "description", text, what);
}

void write_header(hid_t file, const CheckpointHeader& header, const std::string& what) {
  write_text_attribute(file, "format", layout::format_name, what);
  write_attribute(file, "format_version", layout::format_version, what);
  layout::for_each_number(header, [&](const char* attribute, auto number) {
    write_attribute(file, attribute, number, what);
  });
  write_attribute(file, "header_checksum", layout::header_checksum(header), what);
  const auto input = write_text(file, "input", header.resolved_input, what);
  const auto& text = header.resolved_input;
  write_attribute(input, "checksum", checksum(std::as_bytes(std::span(text.data(), text.size()))),
                  what);
  describe(input, "", "the input with every default, as YAML; what is layout stands in provenance",
           what);
}

/// Returns the offset of the dataset's first byte in the file.
std::int64_t dataset_offset(hid_t dataset, const std::string& what) {
  const haddr_t offset = H5Dget_offset(dataset);
  if (offset == HADDR_UNDEF) throw FileError(what + ": HDF5 cannot place the rows of a dataset");
  return static_cast<std::int64_t>(offset);
}

Hdf5Id lay_out_rows(hid_t group, const char* name, hid_t type, std::int64_t rows, std::uint64_t sum,
                    const std::string& what) {
  const hsize_t extent[] = {static_cast<hsize_t>(rows), 3};
  auto dataset = make_dataset(group, name, type, extent, nullptr, what);
  write_attribute(dataset, "checksum", sum, what);
  return dataset;
}

RowOffsets lay_out_state(hid_t group, const CheckpointHeader& header, const RowChecksums& sums,
                         const std::string& what) {
  const auto rows = header.residue_count;
  const auto position =
      lay_out_rows(group, "position", H5T_NATIVE_INT64, rows, sums.position, what);
  describe(position, "count",
           "(residues, 3) unwrapped position; times nm_per_count of its axis it is in nm", what);
  const system::Box box{header.box_nm};
  const std::array<double, 3> scale{box.nm_per_count(0), box.nm_per_count(1), box.nm_per_count(2)};
  const hsize_t three[] = {3};
  write_raw_attribute(position, "nm_per_count", H5T_NATIVE_DOUBLE, three, scale.data(), what);
  const auto velocity =
      lay_out_rows(group, "velocity", H5T_NATIVE_DOUBLE, rows, sums.velocity, what);
  describe(velocity, "nm ps-1", "(residues, 3) velocity at the step of the positions", what);
  return {dataset_offset(position, what), dataset_offset(velocity, what)};
}

}  // namespace

std::int64_t space_needed(const CheckpointHeader& header) {
  constexpr std::int64_t fixed = std::int64_t{64} * 1024, per_object = 1024;
  constexpr std::int64_t row_bytes = sizeof(system::FixedPosition) + sizeof(system::Velocity);
  std::int64_t bytes = fixed + header.residue_count * row_bytes +
                       static_cast<std::int64_t>(header.resolved_input.size());
  for (const auto& [name, values] : header.accumulators) {
    bytes += per_object + static_cast<std::int64_t>(name.size() + values.size() * 8);
  }
  for (const auto& [name, text] : header.provenance) {
    bytes += per_object + static_cast<std::int64_t>(name.size() + text.size());
  }
  return bytes;
}

RowOffsets lay_out(PosixFile& file, const CheckpointHeader& header, const RowChecksums& sums) {
  const std::string what = file.path().string();
  DirectStorage storage(file, PosixFile::Mode::create);
  RowOffsets offsets;
  {
    const auto hdf5 = create_hdf5(storage, what, layout::seal_bytes);
    write_header(hdf5, header, what);
    const std::span<const double> box(header.box_nm);
    const auto lengths = write_dataset(hdf5, "box_nm", box, what);
    write_attribute(lengths, "checksum", checksum(std::as_bytes(box)), what);
    describe(lengths, "nm", "(3) lengths of the periodic box; 0: open along that axis", what);
    offsets = lay_out_state(make_group(hdf5, "state", what), header, sums, what);
    const auto accumulators = make_group(hdf5, "accumulators", what);
    for (const auto& [name, values] : header.accumulators) {
      const auto dataset =
          write_dataset(accumulators, name, std::span<const std::int64_t>(values), what);
      write_attribute(dataset, "checksum", checksum(std::as_bytes(std::span(values))), what);
      describe(dataset, "", "exact sums of this name, as words that nfold alone reads", what);
    }
    const auto provenance = make_group(hdf5, "provenance", what);
    for (const auto& [name, text] : header.provenance) write_text(provenance, name, text, what);
  }
  storage.check();
  file.truncate(storage.size());  // releases space that space_needed() overestimated
  file.reserve(storage.size());
  return offsets;
}

}  // namespace nfold::io::checkpoint_metadata
