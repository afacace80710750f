// Groups, attributes and whole datasets of an HDF5 file, each written or read in one call.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage/hdf5_handles.hpp"

namespace nfold::storage {

template <class T>
[[nodiscard]] hid_t hdf5_type() = delete;
template <>
[[nodiscard]] inline hid_t hdf5_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
[[nodiscard]] inline hid_t hdf5_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
[[nodiscard]] inline hid_t hdf5_type<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}
template <>
[[nodiscard]] inline hid_t hdf5_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
[[nodiscard]] inline hid_t hdf5_type<double>() {
  return H5T_NATIVE_DOUBLE;
}

/// Parameter `what` of all these functions is the file's name in errors.
[[nodiscard]] Hdf5Id make_group(hid_t parent, const std::string& name, std::string_view what);
[[nodiscard]] Hdf5Id open_group(hid_t parent, const std::string& name, std::string_view what);
/// Throws FileError for a dataset whose values are in another file.
[[nodiscard]] Hdf5Id open_dataset(hid_t parent, const std::string& name, std::string_view what);
[[nodiscard]] bool has_link(hid_t parent, const std::string& name);
/// Returns the names of the links of a group, sorted.
[[nodiscard]] std::vector<std::string> link_names(hid_t group, std::string_view what);
[[nodiscard]] std::vector<hsize_t> read_extent(hid_t dataset, std::string_view what);
/// Throws FileError unless a dataset has this extent.
void require_extent(hid_t dataset, const std::string& name, std::span<const hsize_t> expected,
                    std::string_view what);
/// Returns the number of values of a dataset. Throws FileError if the file holds fewer.
[[nodiscard]] std::size_t value_count(hid_t dataset, const std::string& name,
                                      std::string_view what);

/// Writes a fixed-length string without padding, which H5MD requires.
void write_text_attribute(hid_t object, const std::string& name, std::string_view text,
                          std::string_view what);
/// Writes a variable-length string: MDAnalysis reads `unit` attributes only in this form.
void write_unit(hid_t object, const std::string& unit, std::string_view what);
[[nodiscard]] std::string read_text_attribute(hid_t object, const std::string& name,
                                              std::string_view what);

void write_raw_attribute(hid_t object, const std::string& name, hid_t type,
                         std::span<const hsize_t> extent, const void* values,
                         std::string_view what);
template <class T>
void write_attribute(hid_t object, const std::string& name, T value, std::string_view what) {
  write_raw_attribute(object, name, hdf5_type<T>(), {}, &value, what);
}
void read_raw_attribute(hid_t object, const std::string& name, hid_t type, void* value,
                        std::string_view what);
template <class T>
[[nodiscard]] T read_attribute(hid_t object, const std::string& name, std::string_view what) {
  T value{};
  read_raw_attribute(object, name, hdf5_type<T>(), &value, what);
  return value;
}

/// Returns dataset creation settings without time stamps and with early allocation.
[[nodiscard]] Hdf5Id plain_layout(std::string_view what);

/// Makes a dataset of the given extent, and writes it unless `values` is null.
[[nodiscard]] Hdf5Id make_dataset(hid_t parent, const std::string& name, hid_t type,
                                  std::span<const hsize_t> extent, const void* values,
                                  std::string_view what);
template <class T>
Hdf5Id write_dataset(hid_t parent, const std::string& name, std::span<const T> values,
                     std::string_view what) {
  const hsize_t extent[] = {values.size()};
  return make_dataset(parent, name, hdf5_type<T>(), extent, values.data(), what);
}
/// Returns the type of fixed-length text of `width` bytes, padded with zeros.
[[nodiscard]] Hdf5Id text_type(std::size_t width, std::string_view what);
/// Writes each text in a field of `width` bytes, padded with zeros; longer texts are cut.
Hdf5Id write_texts(hid_t parent, const std::string& name, std::span<const std::string> texts,
                   std::size_t width, std::string_view what);
/// Writes one text as a scalar.
Hdf5Id write_text(hid_t parent, const std::string& name, std::string_view text,
                  std::string_view what);
[[nodiscard]] std::string read_text(hid_t parent, const std::string& name, std::string_view what);
[[nodiscard]] std::vector<std::string> read_texts(hid_t parent, const std::string& name,
                                                  std::string_view what);

/// Returns all values of a dataset, in row order.
template <class T>
[[nodiscard]] std::vector<T> read_dataset(hid_t parent, const std::string& name,
                                          std::string_view what) {
  const auto dataset = open_dataset(parent, name, what);
  std::vector<T> values(value_count(dataset, name, what));
  check_hdf5(H5Dread(dataset, hdf5_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what,
             "read " + name);
  return values;
}

/// Transfers rows first .. first + count - 1 of a dataset, along its first axis, from or to
/// `values`, which has values_in_memory elements. Throws FileError if the rows hold another number
/// of values.
enum class Transfer { read, write };
void transfer_rows(Transfer transfer, hid_t dataset, hid_t type, std::int64_t first,
                   std::int64_t count, void* values, std::size_t values_in_memory,
                   std::string_view what);

}  // namespace nfold::storage
