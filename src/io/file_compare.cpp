// Comparison of two files: HDF5 objects by name, tables by line.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/file_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <span>

#include "io/checkpoint_layout.hpp"
#include "io/hdf5_files.hpp"

namespace nfold::io {

using namespace storage;

namespace {

/// Bytes of a dataset held in memory at a time, for each file.
constexpr std::size_t piece_bytes = std::size_t{32} << 20;

/// True for objects that describe the origin of a file, not its content.
bool is_provenance(const std::string& path) {
  return path == "/provenance" || path == "/h5md/creator" || path == "/@creator_version";
}

/// A dataset or an attribute, the unit of comparison.
struct Item {
  bool is_attribute = false;
  std::string owner, name;  // an attribute's object path and own name
  H5T_class_t kind = H5T_NO_CLASS;
  bool has_texts_of_any_length = false;
  std::size_t value_bytes = 0;
  std::vector<hsize_t> extent;

  [[nodiscard]] bool is_like(const Item& other) const {
    return kind == other.kind && extent == other.extent &&
           has_texts_of_any_length == other.has_texts_of_any_length &&
           value_bytes == other.value_bytes;
  }
  [[nodiscard]] hsize_t rows() const { return extent.empty() ? 1 : extent[0]; }
  [[nodiscard]] hsize_t values_a_row() const {
    hsize_t values = 1;
    for (std::size_t axis = 1; axis < extent.size(); ++axis) values *= extent[axis];
    return values;
  }
};

/// Returns the path. Throws FileError for a damaged checkpoint, which its seal reveals before HDF5
/// reads it.
const std::filesystem::path& require_undamaged(const std::filesystem::path& path) {
  const PosixFile file(path, PosixFile::Mode::read);
  if (checkpoint_layout::has_seal(file)) checkpoint_layout::require_complete(file);
  return path;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path)
      : file_(require_undamaged(path)), what_(file_.what), hdf5_(file_.id) {
    add_attributes(hdf5_, "/");
    add_group(hdf5_, "/");
  }

  [[nodiscard]] const std::map<std::string, Item>& items() const { return items_; }

  /// Reads the values of rows [first, first + count) as bytes, or as concatenated texts.
  [[nodiscard]] std::vector<std::byte> read(const Item& item, hsize_t first, hsize_t count) const {
    if (item.is_attribute) {
      const Hdf5Id object(H5Oopen(hdf5_, item.owner.c_str(), H5P_DEFAULT), what_,
                          "open " + item.owner);
      const Hdf5Id attribute(H5Aopen(object, item.name.c_str(), H5P_DEFAULT), what_,
                             "open " + item.owner + "@" + item.name);
      const Hdf5Id type(H5Aget_type(attribute), what_, "inspect " + item.name);
      std::vector<std::byte> bytes(item.rows() * item.values_a_row() * item.value_bytes);
      check_hdf5(H5Aread(attribute, type, bytes.data()), what_, "read " + item.name);
      return plain(object, item, type, std::move(bytes));
    }
    const auto dataset = open_dataset(hdf5_, item.name, what_);
    const Hdf5Id type(H5Dget_type(dataset), what_, "inspect " + item.name);
    const auto values = count * item.values_a_row();
    std::vector<std::byte> bytes(values * item.value_bytes);
    if (item.extent.empty()) {
      check_hdf5(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), what_,
                 "read " + item.name);
    } else {
      transfer_rows(Transfer::read, dataset, type, static_cast<std::int64_t>(first),
                    static_cast<std::int64_t>(count), bytes.data(), values, what_);
    }
    return plain(dataset, item, type, std::move(bytes));
  }

 private:
  // Replaces references and variable-length texts by what they point to.
  std::vector<std::byte> plain(hid_t object, const Item& item, hid_t type,
                               std::vector<std::byte> bytes) const {
    std::string text;
    if (item.has_texts_of_any_length) {
      for (std::size_t at = 0; at < bytes.size(); at += sizeof(char*)) {
        char* value = nullptr;
        std::memcpy(&value, &bytes[at], sizeof value);
        if (value != nullptr) text += value;
        text += '\0';
      }
      const hsize_t values[] = {bytes.size() / sizeof(char*)};
      const Hdf5Id space(H5Screate_simple(1, values, nullptr), what_, "make a dataspace");
      check_hdf5(H5Dvlen_reclaim(type, space, H5P_DEFAULT, bytes.data()), what_, "free texts");
    } else if (item.kind == H5T_REFERENCE && item.value_bytes == sizeof(hobj_ref_t)) {
      for (std::size_t at = 0; at < bytes.size(); at += sizeof(hobj_ref_t)) {
        char name[256] = "";
        (void)H5Rget_name(object, H5R_OBJECT, &bytes[at], name, sizeof name);
        text += std::string(name) + '\0';
      }
    } else {
      return bytes;
    }
    const auto all = std::as_bytes(std::span(text.data(), text.size()));
    return {all.begin(), all.end()};
  }

  static Item item_of(hid_t type, hid_t space) {
    Item item;
    item.kind = H5Tget_class(type);
    item.has_texts_of_any_length = item.kind == H5T_STRING && H5Tis_variable_str(type) > 0;
    item.value_bytes = H5Tget_size(type);
    item.extent.resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    if (!item.extent.empty()) H5Sget_simple_extent_dims(space, item.extent.data(), nullptr);
    return item;
  }

  void add_group(hid_t group, const std::string& path) {
    for (const auto& name : link_names(group, what_)) {
      const auto child = path + name;
      if (is_provenance(child)) continue;
      const Hdf5Id object(H5Oopen(group, name.c_str(), H5P_DEFAULT), what_, "open " + child);
      // The time grid of a trajectory has several names.
      H5O_info_t info{};
      check_hdf5(H5Oget_info(object, &info), what_, "inspect " + child);
      if (!seen_.insert(info.addr).second) continue;
      add_attributes(object, child);
      if (H5Iget_type(object) == H5I_GROUP) {
        add_group(object, child + "/");
      } else {
        const Hdf5Id type(H5Dget_type(object), what_, "inspect " + child);
        const Hdf5Id space(H5Dget_space(object), what_, "inspect " + child);
        auto item = item_of(type, space);
        item.name = child;
        items_.emplace(child, std::move(item));
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
      if (is_provenance(full)) continue;
      const Hdf5Id attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), what_, "open " + full);
      const Hdf5Id type(H5Aget_type(attribute), what_, "inspect " + full);
      const Hdf5Id space(H5Aget_space(attribute), what_, "inspect " + full);
      auto item = item_of(type, space);
      item.is_attribute = true;
      item.owner = path;
      item.name = name;
      items_.emplace(full, std::move(item));
    }
  }

  Hdf5File file_;
  const std::string& what_;
  hid_t hdf5_;
  std::set<haddr_t> seen_;
  std::map<std::string, Item> items_;  // key: path; attributes as PATH@NAME
};

template <class T>
std::string number_text(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return fmt::format("{}", value);
}

std::string value_text(const Item& item, const std::byte* bytes) {
  if (item.kind == H5T_FLOAT) {
    if (item.value_bytes == 8) return number_text<double>(bytes);
    if (item.value_bytes == 4) return number_text<float>(bytes);
  }
  if (item.kind == H5T_INTEGER) {
    if (item.value_bytes == 8) return number_text<std::int64_t>(bytes);
    if (item.value_bytes == 4) return number_text<std::int32_t>(bytes);
  }
  return item.kind == H5T_STRING ? "text" : "bytes";
}

/// Describes how two items of one shape differ; empty if they do not.
std::string describe_difference(const std::string& path, const Item& item, const Reader& a,
                                const Item& in_b, const Reader& b) {
  if (item.has_texts_of_any_length || item.kind == H5T_REFERENCE) {
    const bool same = a.read(item, 0, item.rows()) == b.read(in_b, 0, in_b.rows());
    return same ? "" : fmt::format("{}: other texts", path);
  }
  const auto per_row = item.values_a_row();
  const std::size_t row_bytes = per_row * item.value_bytes;
  const auto rows_at_once =
      item.is_attribute ? item.rows()
                        : std::max<hsize_t>(1, piece_bytes / std::max<std::size_t>(row_bytes, 1));
  hsize_t rows = 0;
  std::string first;
  for (hsize_t begin = 0; begin < item.rows() && row_bytes > 0; begin += rows_at_once) {
    const auto count = std::min(rows_at_once, item.rows() - begin);
    const auto left = a.read(item, begin, count), right = b.read(in_b, begin, count);
    for (hsize_t row = 0; row < count; ++row) {
      const auto* const l = &left[row * row_bytes];
      const auto* const r = &right[row * row_bytes];
      if (std::memcmp(l, r, row_bytes) == 0) continue;
      if (rows++ > 0) continue;
      const auto at = static_cast<std::size_t>(std::mismatch(l, l + row_bytes, r).first - l) /
                      item.value_bytes * item.value_bytes;
      const auto values =
          fmt::format("{} and {}", value_text(item, l + at), value_text(item, r + at));
      if (item.extent.empty()) return fmt::format("{}: {}", path, values);
      first = fmt::format("first at {} {}, component {}: {}",
                          path.starts_with("/state/") ? "residue id" : "row", begin + row,
                          at / item.value_bytes, values);
    }
  }
  if (rows == 0) return "";
  return fmt::format("{}: {}; {} of {} rows differ", path, first, rows, item.rows());
}

std::string extent_text(const Item& item) {
  return item.extent.empty() ? "one value" : fmt::format("({})", fmt::join(item.extent, ", "));
}

std::vector<std::string> compare_hdf5(const std::filesystem::path& a,
                                      const std::filesystem::path& b) {
  const Reader left(a), right(b);
  std::vector<std::string> differences;
  for (const auto& [path, item] : left.items()) {
    const auto other = right.items().find(path);
    if (other == right.items().end()) {
      differences.push_back(fmt::format("{}: only in {}", path, a.string()));
    } else if (item.extent != other->second.extent) {
      differences.push_back(fmt::format("{}: {} and {}: another size", path, extent_text(item),
                                        extent_text(other->second)));
    } else if (!item.is_like(other->second)) {
      differences.push_back(fmt::format("{}: another type", path));
    } else {
      auto difference = describe_difference(path, item, left, other->second, right);
      if (!difference.empty()) differences.push_back(std::move(difference));
    }
  }
  for (const auto& [path, item] : right.items()) {
    if (!left.items().contains(path)) {
      differences.push_back(fmt::format("{}: only in {}", path, b.string()));
    }
  }
  return differences;
}

std::vector<std::string> compare_lines(const std::filesystem::path& a,
                                       const std::filesystem::path& b) {
  std::ifstream left(a), right(b);
  std::string x, y, first;
  std::int64_t line = 0, differ = 0;
  for (;;) {
    const bool more_left = static_cast<bool>(std::getline(left, x));
    const bool more_right = static_cast<bool>(std::getline(right, y));
    if (left.bad() || right.bad()) {
      throw FileError((left.bad() ? a : b).string() + ": cannot be read to its end");
    }
    if (!more_left && !more_right) break;
    ++line;
    if (more_left && more_right && x == y) continue;
    if (differ++ > 0) continue;
    first = !more_left    ? fmt::format("line {} is only in {}", line, b.string())
            : !more_right ? fmt::format("line {} is only in {}", line, a.string())
                          : fmt::format("line {}: {} and {}", line, x, y);
  }
  if (differ == 0) return {};
  return {fmt::format("{}; {} of {} lines differ", first, differ, line)};
}

enum class Kind { hdf5, lines };

Kind kind_of(const std::filesystem::path& path) {
  const PosixFile file(path, PosixFile::Mode::read);
  if (checkpoint_layout::has_seal(file)) return Kind::hdf5;
  constexpr std::array<char, 8> signature{'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
  std::array<char, 8> begin{};
  if (file.size() >= 8) {
    file.read_at(0, std::as_writable_bytes(std::span(begin)));
    if (begin == signature) return Kind::hdf5;
  }
  if (path.extension() == ".csv") return Kind::lines;
  const auto suffix = path.extension();
  const bool should_be_hdf5 = suffix == ".h5" || suffix == ".h5md";
  throw FileError(fmt::format(
      "{}: {}", path.string(),
      should_be_hdf5 ? "torn or damaged: it begins neither as a checkpoint nor as an HDF5 file"
                     : "not a file that nfold compares (checkpoints, .h5md, .h5 and .csv)"));
}

}  // namespace

std::vector<std::string> compare_files(const std::filesystem::path& a,
                                       const std::filesystem::path& b) {
  const auto kind = kind_of(a);
  if (kind != kind_of(b)) {
    throw FileError(fmt::format("{} and {}: files of two kinds", a.string(), b.string()));
  }
  return kind == Kind::hdf5 ? compare_hdf5(a, b) : compare_lines(a, b);
}

}  // namespace nfold::io
