// Groups, attributes and whole datasets of an HDF5 file.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/storage/hdf5_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace nfold::storage {

namespace {

Hdf5Id space_of(std::span<const hsize_t> extent, std::string_view what) {
  return {extent.empty()
              ? H5Screate(H5S_SCALAR)
              : H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
          what, "make a dataspace"};
}

herr_t note_name(hid_t /*group*/, const char* name, const H5L_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::string with_name(const char* action, const std::string& name) {
  return std::string(action) + " " + name;
}

// Returns the text, or a zero in place of an empty one, since HDF5 has no type of no bytes.
std::string not_empty(std::string_view text) {
  return text.empty() ? std::string(1, '\0') : std::string(text);
}

// Removes the zeros that pad a text field.
std::string unpadded(std::string text) {
  text.resize(std::min(text.size(), std::strlen(text.c_str())));
  return text;
}

}  // namespace

Hdf5Id text_type(std::size_t width, std::string_view what) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), what, "make a text type");
  check_hdf5(H5Tset_size(type, width), what, "set a text's length");
  check_hdf5(H5Tset_strpad(type, H5T_STR_NULLPAD), what, "set a text's padding");
  check_hdf5(H5Tset_cset(type, H5T_CSET_UTF8), what, "set a text's encoding");
  return type;
}

Hdf5Id make_group(hid_t parent, const std::string& name, std::string_view what) {
  Hdf5Id settings(H5Pcreate(H5P_GROUP_CREATE), what, "make group settings");
  check_hdf5(H5Pset_obj_track_times(settings, false), what, "leave out time stamps");
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, settings, H5P_DEFAULT), what,
          with_name("make the group", name)};
}

Hdf5Id open_group(hid_t parent, const std::string& name, std::string_view what) {
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), what, with_name("open the group", name)};
}

Hdf5Id open_dataset(hid_t parent, const std::string& name, std::string_view what) {
  Hdf5Id dataset(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), what,
                 with_name("open the dataset", name));
  const Hdf5Id settings(H5Dget_create_plist(dataset), what, "inspect a dataset");
  if (H5Pget_external_count(settings) != 0 || H5Pget_layout(settings) == H5D_VIRTUAL) {
    throw FileError(std::string(what) + ": the values of " + name +
                    " lie in another file, and nfold reads and writes none but this one");
  }
  return dataset;
}

bool has_link(hid_t parent, const std::string& name) {
  return H5Lexists(parent, name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> link_names(hid_t group, std::string_view what) {
  std::vector<std::string> names;
  check_hdf5(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, note_name, &names), what,
             "list a group");
  return names;
}

std::vector<hsize_t> read_extent(hid_t dataset, std::string_view what) {
  const Hdf5Id space(H5Dget_space(dataset), what, "inspect a dataset");
  const int rank = H5Sget_simple_extent_ndims(space);
  check_hdf5(rank, what, "inspect a dataset");
  std::vector<hsize_t> extent(static_cast<std::size_t>(rank));
  if (rank > 0) H5Sget_simple_extent_dims(space, extent.data(), nullptr);
  return extent;
}

void require_extent(hid_t dataset, const std::string& name, std::span<const hsize_t> expected,
                    std::string_view what) {
  const auto found = read_extent(dataset, what);
  if (std::equal(found.begin(), found.end(), expected.begin(), expected.end())) return;
  throw FileError(fmt::format("{}: the file is damaged: {} has the extent ({}) instead of ({})",
                              what, name, fmt::join(found, ", "), fmt::join(expected, ", ")));
}

std::size_t value_count(hid_t dataset, const std::string& name, std::string_view what) {
  const Hdf5Id type(H5Dget_type(dataset), what, with_name("inspect the dataset", name));
  const Hdf5Id settings(H5Dget_create_plist(dataset), what, "inspect a dataset");
  const hsize_t size = std::max<hsize_t>(1, H5Tget_size(type));
  hsize_t count = 1;
  bool is_too_large = false;
  for (const auto n : read_extent(dataset, what)) {
    is_too_large =
        is_too_large || (n != 0 && count > std::numeric_limits<hsize_t>::max() / size / n);
    count *= n;
  }
  const bool is_packed = H5Pget_nfilters(settings) > 0;
  if (is_too_large || (!is_packed && count * size > H5Dget_storage_size(dataset))) {
    throw FileError(fmt::format(
        "{}: the file is damaged: {} claims the extent ({}), and holds {} "
        "bytes",
        what, name, fmt::join(read_extent(dataset, what), ", "), H5Dget_storage_size(dataset)));
  }
  return static_cast<std::size_t>(count);
}

void write_raw_attribute(hid_t object, const std::string& name, hid_t type,
                         std::span<const hsize_t> extent, const void* values,
                         std::string_view what) {
  const auto space = space_of(extent, what);
  const Hdf5Id attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                         what, with_name("make the attribute", name));
  check_hdf5(H5Awrite(attribute, type, values), what, with_name("write the attribute", name));
}

void write_text_attribute(hid_t object, const std::string& name, std::string_view text,
                          std::string_view what) {
  const auto padded = not_empty(text);
  const auto type = text_type(padded.size(), what);
  write_raw_attribute(object, name, type, {}, padded.data(), what);
}

void write_unit(hid_t object, const std::string& unit, std::string_view what) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), what, "make a text type");
  check_hdf5(H5Tset_size(type, H5T_VARIABLE), what, "set a text's length");
  check_hdf5(H5Tset_cset(type, H5T_CSET_UTF8), what, "set a text's encoding");
  const char* text = unit.c_str();
  write_raw_attribute(object, "unit", type, {}, &text, what);
}

void read_raw_attribute(hid_t object, const std::string& name, hid_t type, void* value,
                        std::string_view what) {
  const Hdf5Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), what,
                         with_name("open the attribute", name));
  const Hdf5Id space(H5Aget_space(attribute), what, with_name("inspect the attribute", name));
  if (H5Sget_simple_extent_npoints(space) != 1) {
    throw FileError(std::string(what) + ": attribute " + name + " is not a single value");
  }
  check_hdf5(H5Aread(attribute, type, value), what, with_name("read the attribute", name));
}

std::string read_text_attribute(hid_t object, const std::string& name, std::string_view what) {
  const Hdf5Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), what,
                         with_name("open the attribute", name));
  const Hdf5Id type(H5Aget_type(attribute), what, with_name("inspect the attribute", name));
  if (H5Tget_class(type) != H5T_STRING) {
    throw FileError(std::string(what) + ": attribute " + name + " is not a text");
  }
  if (H5Tis_variable_str(type) > 0) {
    char* text = nullptr;
    read_raw_attribute(object, name, type, static_cast<void*>(&text), what);
    std::string copy = text == nullptr ? "" : text;
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(type), '\0');
  read_raw_attribute(object, name, type, text.data(), what);
  return unpadded(text);
}

Hdf5Id plain_layout(std::string_view what) {
  Hdf5Id settings(H5Pcreate(H5P_DATASET_CREATE), what, "make dataset settings");
  check_hdf5(H5Pset_obj_track_times(settings, false), what, "leave out time stamps");
  check_hdf5(H5Pset_alloc_time(settings, H5D_ALLOC_TIME_EARLY), what, "allocate early");
  check_hdf5(H5Pset_fill_time(settings, H5D_FILL_TIME_NEVER), what, "leave out filling");
  return settings;
}

Hdf5Id make_dataset(hid_t parent, const std::string& name, hid_t type,
                    std::span<const hsize_t> extent, const void* values, std::string_view what) {
  const auto space = space_of(extent, what);
  const auto settings = plain_layout(what);
  Hdf5Id dataset(H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, settings, H5P_DEFAULT),
                 what, with_name("make the dataset", name));
  if (values != nullptr) {
    check_hdf5(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), what,
               with_name("write the dataset", name));
  }
  return dataset;
}

Hdf5Id write_texts(hid_t parent, const std::string& name, std::span<const std::string> texts,
                   std::size_t width, std::string_view what) {
  std::string fields(texts.size() * width, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::copy_n(texts[i].begin(), std::min(width, texts[i].size()),
                fields.begin() + static_cast<std::ptrdiff_t>(i * width));
  }
  const hsize_t extent[] = {texts.size()};
  return make_dataset(parent, name, text_type(width, what), extent, fields.data(), what);
}

Hdf5Id write_text(hid_t parent, const std::string& name, std::string_view text,
                  std::string_view what) {
  const auto padded = not_empty(text);
  return make_dataset(parent, name, text_type(padded.size(), what), {}, padded.data(), what);
}

std::vector<std::string> read_texts(hid_t parent, const std::string& name, std::string_view what) {
  const auto dataset = open_dataset(parent, name, what);
  const Hdf5Id type(H5Dget_type(dataset), what, with_name("inspect the dataset", name));
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0) {
    throw FileError(std::string(what) + ": dataset " + name + " does not hold fixed texts");
  }
  const auto count = value_count(dataset, name, what);
  const std::size_t width = H5Tget_size(type);
  std::string fields(count * width, '\0');
  check_hdf5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, fields.data()), what,
             with_name("read", name));
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(unpadded(fields.substr(i * width, width)));
  return texts;
}

std::string read_text(hid_t parent, const std::string& name, std::string_view what) {
  const auto texts = read_texts(parent, name, what);
  return texts.empty() ? std::string() : texts.front();
}

void transfer_rows(Transfer transfer, hid_t dataset, hid_t type, std::int64_t first,
                   std::int64_t count, void* values, std::size_t values_in_memory,
                   std::string_view what) {
  auto extent = read_extent(dataset, what);
  hsize_t row_values = extent.empty() ? 0 : 1;
  for (std::size_t k = 1; k < extent.size(); ++k) row_values *= extent[k];
  if (row_values * static_cast<hsize_t>(count) != values_in_memory) {
    throw FileError(
        fmt::format("{}: the file is damaged: a dataset has {} values a row instead of {}", what,
                    row_values, values_in_memory / std::max<std::size_t>(1, count)));
  }
  std::vector<hsize_t> start(extent.size(), 0);
  start[0] = static_cast<hsize_t>(first);
  extent[0] = static_cast<hsize_t>(count);
  const Hdf5Id in_file(H5Dget_space(dataset), what, "inspect a dataset");
  check_hdf5(
      H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
      what, "select rows");
  const Hdf5Id in_memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                         what, "make a dataspace");
  const bool reading = transfer == Transfer::read;
  check_hdf5(reading ? H5Dread(dataset, type, in_memory, in_file, H5P_DEFAULT, values)
                     : H5Dwrite(dataset, type, in_memory, in_file, H5P_DEFAULT, values),
             what, reading ? "read rows" : "write rows");
}

}  // namespace nfold::storage
