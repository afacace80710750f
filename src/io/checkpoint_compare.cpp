// Which bits of two checkpoints differ.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <span>

#include "io/checkpoint_layout.hpp"
#include "io/hdf5_objects.hpp"

namespace nfold::io {

namespace {

// A dataset or attribute as stored: what two files are compared by.
struct Content {
  H5T_class_t kind = H5T_NO_CLASS;
  std::size_t value_bytes = 0;
  std::vector<hsize_t> extent;
  std::vector<std::byte> bytes;
  bool operator==(const Content&) const = default;
};
using Contents = std::map<std::string, Content>;  // by path; attributes as PATH@NAME

Content content_of(hid_t type, hid_t space) {
  Content content{H5Tget_class(type), H5Tget_size(type), {}, {}};
  content.extent.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  if (!content.extent.empty()) {
    H5Sget_simple_extent_dims(space, content.extent.data(), nullptr);
  }
  std::size_t count = 1;
  for (const auto n : content.extent) count *= n;
  content.bytes.resize(count * content.value_bytes);
  return content;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : what_(path.string()), file_(path, PosixFile::Mode::read) {
    if (const auto fault = checkpoint_layout::fault_of(file_); !fault.empty()) {
      throw FileError(what_ + ": " + fault);
    }
    storage_ = std::make_unique<DirectStorage>(file_, PosixFile::Mode::read);
    hdf5_ = open_hdf5(*storage_, what_, Hdf5Access::read);
  }

  Contents read() {
    add_attributes(hdf5_, "/");
    add_group(hdf5_, "/");
    return std::move(contents_);
  }

 private:
  void add_group(hid_t group, const std::string& path) {
    for (const auto& name : link_names(group, what_)) {
      const auto child = path + name;
      if (child == "/provenance") continue;
      const Hdf5Id object(H5Oopen(group, name.c_str(), H5P_DEFAULT), what_, "open " + child);
      add_attributes(object, child);
      if (H5Iget_type(object) == H5I_GROUP) {
        add_group(object, child + "/");
      } else {
        const Hdf5Id type(H5Dget_type(object), what_, "inspect " + child);
        const Hdf5Id space(H5Dget_space(object), what_, "inspect " + child);
        auto content = content_of(type, space);
        check_hdf5(H5Dread(object, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, content.bytes.data()),
                   what_, "read " + child);
        contents_.emplace(child, std::move(content));
      }
    }
  }

  void add_attributes(hid_t object, const std::string& path) {
    const auto note = [](hid_t, const char* name, const H5A_info_t*, void* names) -> herr_t {
      static_cast<std::vector<std::string>*>(names)->emplace_back(name);
      return 0;
    };
    std::vector<std::string> names;
    check_hdf5(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, note, &names), what_,
               "list the attributes of " + path);
    for (const auto& name : names) {
      const auto full = fmt::format("{}@{}", path, name);
      const Hdf5Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), what_, "open " + full);
      const Hdf5Id type(H5Aget_type(attribute), what_, "inspect " + full);
      const Hdf5Id space(H5Aget_space(attribute), what_, "inspect " + full);
      auto content = content_of(type, space);
      check_hdf5(H5Aread(attribute, type, content.bytes.data()), what_, "read " + full);
      contents_.emplace(full, std::move(content));
    }
  }

  std::string what_;
  PosixFile file_;
  std::unique_ptr<DirectStorage> storage_;
  Hdf5Id hdf5_;
  Contents contents_;
};

template <class T>
std::string number_text(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return fmt::format("{}", value);
}

std::string value_text(const Content& content, std::size_t value) {
  const auto bytes =
      std::span(content.bytes).subspan(value * content.value_bytes, content.value_bytes);
  if (content.kind == H5T_STRING) return "text";
  if (content.value_bytes != 8) return "bytes";
  return content.kind == H5T_FLOAT ? number_text<double>(bytes) : number_text<std::int64_t>(bytes);
}

std::string describe(const std::string& name, const Content& a, const Content& b) {
  if (a.kind != b.kind || a.extent != b.extent || a.value_bytes != b.value_bytes) {
    return fmt::format("{}: type or size differs", name);
  }
  const auto first =
      static_cast<std::size_t>(std::ranges::mismatch(a.bytes, b.bytes).in1 - a.bytes.begin());
  const auto value = first / a.value_bytes;
  if (a.extent.empty()) {
    return fmt::format("{}: {} and {}", name, value_text(a, value), value_text(b, value));
  }
  const auto per_row = a.bytes.size() / a.value_bytes / a.extent[0];
  const auto row_bytes = per_row * a.value_bytes;
  std::size_t rows = 0;
  for (std::size_t at = 0; at < a.bytes.size(); at += row_bytes) {
    if (std::memcmp(&a.bytes[at], &b.bytes[at], row_bytes) != 0) ++rows;
  }
  return fmt::format("{}: first at {} {}, component {}: {} and {}; {} of {} rows differ", name,
                     name.starts_with("/state/") ? "residue id" : "row", value / per_row,
                     value % per_row, value_text(a, value), value_text(b, value), rows,
                     a.extent[0]);
}

}  // namespace

std::vector<std::string> compare_checkpoints(const std::filesystem::path& a,
                                             const std::filesystem::path& b) {
  const auto left = Reader(a).read(), right = Reader(b).read();
  std::vector<std::string> differences;
  for (const auto& [name, content] : left) {
    const auto other = right.find(name);
    if (other == right.end()) {
      differences.push_back(fmt::format("{}: only in {}", name, a.string()));
    } else if (!(content == other->second)) {
      differences.push_back(describe(name, content, other->second));
    }
  }
  for (const auto& [name, content] : right) {
    if (!left.contains(name))
      differences.push_back(fmt::format("{}: only in {}", name, b.string()));
  }
  return differences;
}

}  // namespace nfold::io
