// ZIP directory (PKWARE APPNOTE 6.3), deflated entries and the NPY format (NumPy enhancement 1).
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/npz.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/parse_number.hpp"
#include "model/structure/gunzip.hpp"
#include "model/structure/structure.hpp"

namespace nfold::structure {
namespace {

[[noreturn]] void fail_numpy(const std::string& name, const std::string& what) {
  throw StructureError(fmt::format("{}: {}", name, what));
}

constexpr const char* copy_again = "the archive is cut off or damaged, copy or download it again";

/// Bytes with little-endian integers; throws beyond the end.
class ByteView {
 public:
  ByteView(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  [[nodiscard]] std::uint64_t integer(std::uint64_t at, std::size_t width) const {
    const std::string_view part = slice(at, width);
    std::uint64_t value = 0;
    for (std::size_t k = width; k-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(part[k]);
    }
    return value;
  }
  [[nodiscard]] std::string_view slice(std::uint64_t at, std::uint64_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at) {
      fail_numpy(name_, fmt::format("a part at byte {} ends beyond the file's {} bytes; {}", at,
                                    bytes_.size(), copy_again));
    }
    return bytes_.substr(at, size);
  }

 private:
  std::string_view bytes_;
  const std::string& name_;
};

struct ZipEntry {
  std::string name;
  std::uint64_t method = 0, flags = 0, crc = 0, packed = 0, size = 0, header_at = 0;
};

/// Offset and number of the central directory's entries.
struct ZipDirectory {
  std::uint64_t at = 0, count = 0;
};

constexpr std::uint64_t full_16 = 0xffff, full_32 = 0xffffffff;

ZipDirectory find_directory(std::string_view bytes, const ByteView& view, const std::string& name) {
  constexpr std::size_t end_size = 22;
  const std::size_t end = bytes.rfind("PK\x05\x06");
  if (end == std::string_view::npos || bytes.size() - end < end_size) {
    fail_numpy(name, fmt::format("no directory at the end of the zip archive; {}", copy_again));
  }
  ZipDirectory directory{view.integer(end + 16, 4), view.integer(end + 10, 2)};
  if (directory.at != full_32 && directory.count != full_16) return directory;
  constexpr std::size_t locator_size = 20;
  if (end < locator_size || view.slice(end - locator_size, 4) != "PK\x06\x07") {
    fail_numpy(name, fmt::format("no zip64 directory; {}", copy_again));
  }
  const std::uint64_t record = view.integer(end - locator_size + 8, 8);
  return {view.integer(record + 48, 8), view.integer(record + 32, 8)};
}

/// Reads 64-bit sizes from the extra field of an entry, where its own are full.
void read_zip64(const ByteView& extra, std::uint64_t size, ZipEntry& entry) {
  for (std::uint64_t at = 0; at + 4 <= size;) {
    const std::uint64_t id = extra.integer(at, 2), length = extra.integer(at + 2, 2);
    std::uint64_t next = at + 4;
    if (id == 1) {
      for (std::uint64_t* field : {&entry.size, &entry.packed, &entry.header_at}) {
        if (*field != full_32) continue;
        *field = extra.integer(next, 8);
        next += 8;
      }
    }
    at += 4 + length;
  }
}

std::vector<ZipEntry> read_entries(std::string_view bytes, const std::string& name) {
  const ByteView view(bytes, name);
  const auto [first, count] = find_directory(bytes, view, name);
  std::vector<ZipEntry> entries;
  std::uint64_t at = first;
  for (std::uint64_t k = 0; k < count; ++k) {
    if (view.slice(at, 4) != "PK\x01\x02") {
      fail_numpy(name, fmt::format("no entry {} at byte {} of the zip directory; {}", k + 1, at,
                                   copy_again));
    }
    ZipEntry entry;
    entry.flags = view.integer(at + 8, 2);
    entry.method = view.integer(at + 10, 2);
    entry.crc = view.integer(at + 16, 4);
    entry.packed = view.integer(at + 20, 4);
    entry.size = view.integer(at + 24, 4);
    entry.header_at = view.integer(at + 42, 4);
    const std::uint64_t name_size = view.integer(at + 28, 2), extra_size = view.integer(at + 30, 2);
    entry.name = view.slice(at + 46, name_size);
    const std::string_view extra = view.slice(at + 46 + name_size, extra_size);
    read_zip64(ByteView(extra, name), extra_size, entry);
    at += 46 + name_size + extra_size + view.integer(at + 32, 2);
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string inflate_entry(std::string_view packed, const ZipEntry& entry, const std::string& name) {
  // Deflate packs no better than 1032 to 1, so a false size asks for no memory.
  constexpr std::uint64_t largest_ratio = 1032, slack = 64;
  if (entry.size > largest_unpacked_bytes || entry.size / largest_ratio > packed.size() + slack) {
    fail_numpy(name, fmt::format("{} of {} bytes unpacks to {}, more than it can or more than the "
                                 "{} that nfold unpacks",
                                 entry.name, packed.size(), entry.size, largest_unpacked_bytes));
  }
  std::string bytes(static_cast<std::size_t>(entry.size), '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    fail_numpy(name, "zlib could not be started (out of memory?)");
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, &inflateEnd);
  // zlib's interface predates const; it does not write through next_in.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  if (inflate(&stream, Z_FINISH) != Z_STREAM_END || stream.avail_out != 0) {
    fail_numpy(name, fmt::format("damaged data in {}; {}", entry.name, copy_again));
  }
  return bytes;
}

std::string unpack_entry(std::string_view archive, const ZipEntry& entry, const std::string& name) {
  const ByteView view(archive, name);
  constexpr std::uint64_t encrypted = 1;
  if ((entry.flags & encrypted) != 0)
    fail_numpy(name, entry.name + " is encrypted; unpack it first");
  if (view.slice(entry.header_at, 4) != "PK\x03\x04") {
    fail_numpy(name, fmt::format("no header of {} at byte {}; {}", entry.name, entry.header_at,
                                 copy_again));
  }
  const std::uint64_t data_at = entry.header_at + 30 + view.integer(entry.header_at + 26, 2) +
                                view.integer(entry.header_at + 28, 2);
  const std::string_view packed = view.slice(data_at, entry.packed);
  constexpr std::uint64_t stored = 0, deflated = 8;
  std::string bytes;
  if (entry.method == stored) {
    bytes = packed;
  } else if (entry.method == deflated) {
    bytes = inflate_entry(packed, entry, name);
  } else {
    fail_numpy(name, fmt::format("{} is packed by method {}; expected stored or deflated",
                                 entry.name, entry.method));
  }
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (crc != entry.crc) {
    fail_numpy(name, fmt::format("the checksum of {} is wrong; {}", entry.name, copy_again));
  }
  return bytes;
}

/// Returns the text of a key's value in the header of an NPY file, a Python dictionary.
std::string_view header_value(std::string_view header, std::string_view key,
                              const std::string& name) {
  const std::size_t found = header.find(fmt::format("'{}':", key));
  if (found == std::string_view::npos) {
    fail_numpy(name, fmt::format("the header of the NPY array has no '{}'", key));
  }
  std::string_view rest = header.substr(found + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (rest.starts_with('(')) return rest.substr(0, rest.find(')'));
  return rest.substr(0, rest.find_first_of(",}"));
}

std::vector<std::size_t> parse_shape(std::string_view text, const std::string& name) {
  std::vector<std::size_t> shape;
  while (!text.empty()) {
    text.remove_prefix(1);  // the opening bracket or a comma
    std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(part.size());
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (part.empty()) continue;
    const auto edge = core::parse_number<std::size_t>(part);
    if (!edge) fail_numpy(name, "the shape of the NPY array is not a list of integers");
    shape.push_back(*edge);
  }
  return shape;
}

double half_to_double(std::uint64_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = static_cast<int>(bits >> 10 & 0x1f);
  const auto fraction = static_cast<double>(bits & 0x3ff);
  if (exponent == 31) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double to_number(std::uint64_t bits, char kind, std::size_t width) {
  if (kind == 'f') {
    if (width == 8) return std::bit_cast<double>(bits);
    if (width == 4) {
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    }
    return half_to_double(bits);
  }
  if (kind == 'u' || width == 8) {
    return kind == 'u' ? static_cast<double>(bits)
                       : static_cast<double>(static_cast<std::int64_t>(bits));
  }
  const std::uint64_t sign_bit = std::uint64_t{1} << (8 * width - 1);
  return static_cast<double>(static_cast<std::int64_t>(bits ^ sign_bit) -
                             static_cast<std::int64_t>(sign_bit));
}

/// Converts column-major order to row-major.
std::vector<double> to_row_major(const std::vector<double>& values,
                                 const std::vector<std::size_t>& shape) {
  const std::size_t rows = shape[0], columns = shape[1];
  std::vector<double> sorted(values.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) sorted[i * columns + j] = values[j * rows + i];
  }
  return sorted;
}

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.starts_with("PK\x03\x04"); }
bool is_npy(std::string_view bytes) { return bytes.starts_with("\x93NUMPY"); }

NumpyArray parse_npy(std::string_view bytes, const std::string& name) {
  const ByteView view(bytes, name);
  if (!is_npy(bytes)) fail_numpy(name, "not an NPY array; expected NumPy's binary format");
  const std::uint64_t version = view.integer(6, 1);
  const std::size_t width_of_size = version == 1 ? 2 : 4;
  const std::uint64_t header_size = view.integer(8, width_of_size);
  const std::string_view header = view.slice(8 + width_of_size, header_size);
  const std::string_view data = bytes.substr(8 + width_of_size + header_size);

  NumpyArray array;
  array.shape = parse_shape(header_value(header, "shape", name), name);
  const std::string_view type = header_value(header, "descr", name);
  const auto width = type.size() == 5 ? core::parse_number<std::size_t>(type.substr(3, 1))
                                      : std::optional<std::size_t>();
  const char order = type.size() == 5 ? type[1] : '?', kind = type.size() == 5 ? type[2] : '?';
  const bool is_known = width.has_value() &&
                        (*width == 1 || *width == 2 || *width == 4 || *width == 8) &&
                        std::string_view("<>|=").find(order) != std::string_view::npos &&
                        (kind == 'i' || kind == 'u' || (kind == 'f' && *width > 1));
  if (!is_known) {
    fail_numpy(name, fmt::format("numbers of type {}, expected real numbers or integers of 1 to 8 "
                                 "bytes as '<f4': save the array as float32",
                                 type.empty() ? "none" : std::string(type)));
  }
  // The product is bounded by the data before any memory is taken.
  std::size_t count = data.size() / *width;
  std::size_t product = 1;
  for (const std::size_t edge : array.shape) {
    product = edge == 0 ? 0 : product > count / edge ? count + 1 : product * edge;
    if (product == 0 || product > count) break;
  }
  if (product != count || data.size() % *width != 0) {
    fail_numpy(name, fmt::format("the array of shape ({}) has {} bytes of data for numbers of {} "
                                 "bytes; the file is cut off or damaged",
                                 fmt::join(array.shape, ", "), data.size(), *width));
  }
  array.values.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::string_view number = data.substr(k * *width, *width);
    std::uint64_t bits = 0;
    for (std::size_t b = 0; b < *width; ++b) {
      bits = bits << 8 | static_cast<unsigned char>(number[order == '>' ? b : *width - 1 - b]);
    }
    array.values.push_back(to_number(bits, kind, *width));
  }
  const bool column_major = header_value(header, "fortran_order", name).starts_with("True");
  if (column_major && array.shape.size() > 1) {
    if (array.shape.size() > 2) fail_numpy(name, "column-major order of more than two dimensions");
    array.values = to_row_major(array.values, array.shape);
  }
  return array;
}

std::vector<NumpyArray> parse_npz(std::string_view bytes, const std::string& name,
                                  const std::vector<std::string>& wanted) {
  std::vector<NumpyArray> arrays;
  std::vector<std::string> names;
  for (const ZipEntry& entry : read_entries(bytes, name)) {
    std::string stem = entry.name;
    constexpr std::string_view suffix = ".npy";
    if (stem.ends_with(suffix)) stem.resize(stem.size() - suffix.size());
    if (std::find(wanted.begin(), wanted.end(), stem) != wanted.end()) {
      const std::string place = fmt::format("{} ({})", name, entry.name);
      arrays.push_back(parse_npy(unpack_entry(bytes, entry, name), place));
      arrays.back().name = stem;
    }
    names.push_back(std::move(stem));
  }
  if (arrays.empty()) {
    constexpr std::size_t shown = 8;
    if (names.size() > shown) names.resize(shown);
    fail_numpy(name,
               fmt::format("an archive with {}; expected an array {}",
                           names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", ")),
                           fmt::join(wanted, " or ")));
  }
  return arrays;
}

}  // namespace nfold::structure
