// Reader of a structure file: bytes, format, model, chains.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <utility>

#include "model/structure/alternates.hpp"
#include "model/structure/assemble.hpp"
#include "model/structure/gunzip.hpp"
#include "model/structure/raw_residue.hpp"

namespace nfold::structure {
namespace {

enum class Format { pdb, mmcif };

constexpr const char* expected = "expected a PDB or mmCIF file, plain or gzipped";

void reject_other_formats(std::string_view text, const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> strangers{
      {{"\x1f\x8b", "gzip inside gzip (packed twice); unpack it once"},
       {"BZh", "bzip2 data; unpack it with bunzip2"},
       {"\xfd"
        "7zXZ",
        "xz data; unpack it with unxz"},
       {"\x28\xb5\x2f\xfd", "zstd data; unpack it with unzstd"},
       {"PK\x03\x04", "a zip archive; unpack it"},
       {"<!DOCTYPE", "a web page; download the coordinate file itself"},
       {"<", "XML or a web page; convert it to mmCIF, or download the coordinate file itself"},
       {"{", "JSON; convert it to mmCIF"},
       {">", "a FASTA sequence, which has no coordinates; give a structure"}}};
  for (const auto& [start, what] : strangers) {
    if (text.starts_with(start)) {
      throw StructureError(fmt::format("{}: this is {} ({})", name, what, expected));
    }
  }
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    throw StructureError(
        fmt::format("{}: binary data (a zero at byte {}); {}", name, zero, expected));
  }
}

bool has_record(std::string_view text, std::string_view record) {
  if (text.starts_with(record)) return true;
  return text.find(fmt::format("\n{}", record)) != std::string_view::npos;
}

Format detect_format(std::string_view text, const std::string& name) {
  std::size_t at = 0;
  while (true) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string_view::npos) {
      throw StructureError(fmt::format("{}: the file is empty; {}", name, expected));
    }
    if (text[at] != '#') break;
    at = std::min(text.find('\n', at), text.size());
  }
  const std::string_view head = text.substr(at);
  reject_other_formats(head, name);
  if (head.size() >= 5 && (head[4] == '_') && (head[0] == 'd' || head[0] == 'D') &&
      (head[1] == 'a' || head[1] == 'A')) {
    return Format::mmcif;
  }
  if (head.starts_with("loop_") || head.starts_with("_")) {
    throw StructureError(
        fmt::format("{}:1: mmCIF without its first line; expected 'data_NAME': the beginning is "
                    "cut off, copy or "
                    "download it again",
                    name));
  }
  if (has_record(text, "ATOM ") || has_record(text, "HETATM")) return Format::pdb;
  throw StructureError(
      fmt::format("{}: no ATOM record and no mmCIF data block; the file begins {}; {}", name,
                  in_quotes(head.substr(0, head.find('\n'))), expected));
}

std::string file_stem(const std::string& name) {
  std::string stem = std::filesystem::path(name).filename().string();
  for (const std::string_view suffix : {".gz", ".pdb", ".cif", ".ent", ".mmcif"}) {
    if (stem.size() > suffix.size() && stem.ends_with(suffix)) {
      stem.resize(stem.size() - suffix.size());
    }
  }
  return stem;
}

/// Text of a structure file, unpacked, and its format.
class StructureText {
 public:
  StructureText(std::string_view bytes, const std::string& name) : name_(name) {
    if (is_gzip(bytes)) {
      unpacked_ = gunzip(bytes, name);
      bytes = unpacked_;
    }
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
    text_ = bytes;
    format_ = detect_format(text_, name_);
  }
  StructureText(const StructureText&) = delete;  // text_ refers to unpacked_
  StructureText& operator=(const StructureText&) = delete;
  ~StructureText() = default;

  [[nodiscard]] RawStructure read(int model) const {
    if (model < 1) {
      throw StructureError(
          fmt::format("{}: model {} is selected; expected 1 or more", name_, model));
    }
    RawStructure raw =
        format_ == Format::pdb ? read_pdb(text_, name_, model) : read_mmcif(text_, name_, model);
    if (model > raw.model_count) {
      throw StructureError(
          fmt::format("{}: model {} is selected, the file has {}", name_, model, raw.model_count));
    }
    return raw;
  }

  /// Returns the edges of the unit cell [nm]: 0 without a cell or for the cell of 1 x 1 x 1
  /// Angstrom that stands for none, NaN if it is not rectangular.
  [[nodiscard]] std::array<double, 3> cell_nm() const {
    std::array<double, 6> cell{};  // edges [Angstrom] and angles [degrees]
    for (core::Lines lines(text_); lines.next();) {
      const auto line = lines.line();
      if (line.starts_with("ATOM") || line.starts_with("HETATM")) break;
      if (format_ == Format::pdb ? !read_cryst1(line, cell) : !read_cell_item(line, cell)) continue;
      if (format_ == Format::pdb) break;
    }
    if (std::all_of(cell.begin(), cell.begin() + 3, [](double edge) { return edge <= 1; })) {
      return {};
    }
    std::array<double, 3> edges_nm{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      edges_nm[axis] = cell[3 + axis] == 90 ? cell[axis] * angstrom_nm
                                            : std::numeric_limits<double>::quiet_NaN();
    }
    return edges_nm;
  }

 private:
  static bool read_cryst1(std::string_view line, std::array<double, 6>& cell) {
    constexpr std::array<std::pair<std::size_t, std::size_t>, 6> columns{
        {{6, 9}, {15, 9}, {24, 9}, {33, 7}, {40, 7}, {47, 7}}};
    if (!line.starts_with("CRYST1") || line.size() < 54) return false;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto [first, width] = columns[k];
      if (!parse_number(line.substr(first, width), cell[k])) cell[k] = 0;
    }
    return true;
  }
  static bool read_cell_item(std::string_view line, std::array<double, 6>& cell) {
    constexpr std::array<std::string_view, 6> items{"length_a",    "length_b",   "length_c",
                                                    "angle_alpha", "angle_beta", "angle_gamma"};
    constexpr std::string_view category = "_cell.";
    if (!line.starts_with(category)) return false;
    line.remove_prefix(category.size());
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (!line.starts_with(items[k])) continue;
      return parse_number(line.substr(items[k].size()), cell[k]);
    }
    return false;
  }

  const std::string& name_;
  std::string unpacked_;
  std::string_view text_;
  Format format_ = Format::pdb;
};

}  // namespace

int Structure::residue_count() const {
  std::size_t count = 0;
  for (const Chain& chain : chains) count += chain.residues.size();
  return static_cast<int>(count);
}

Structure parse_structure(std::string_view bytes, const std::string& name,
                          const Selection& selection) {
  RawStructure raw = StructureText(bytes, name).read(selection.model);
  Structure structure = assemble(std::move(raw), name, selection);
  structure.name = file_stem(name);
  return structure;
}

system::BeadFrame parse_bead_records(std::string_view bytes, const std::string& name, int model) {
  const StructureText text(bytes, name);
  RawStructure raw = text.read(model);
  system::BeadFrame frame;
  frame.box_nm = text.cell_nm();
  const RawResidue* before = nullptr;
  int chain = 0;
  for (RawResidue& residue : raw.residues) {
    (void)keep_best_alternate(residue, name);
    if (before != nullptr && (before->chain != residue.chain || before->part != residue.part)) {
      ++chain;
    }
    before = &residue;
    for (const RawAtom& atom : residue.atoms) {
      frame.positions_nm.push_back(atom.position_nm);
      frame.residue_names.push_back(residue.name);
      frame.chains.push_back(chain);
    }
  }
  return frame;
}

int count_models(std::string_view bytes, const std::string& name) {
  return StructureText(bytes, name).read(1).model_count;
}

std::string read_structure_bytes(const std::filesystem::path& path, std::uintmax_t largest_bytes) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    throw StructureError(fmt::format("{}: is a folder; {}", path.string(), expected));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const int reason = errno;
    throw StructureError(
        fmt::format("{}: cannot be opened: {}; {}", path.string(), std::strerror(reason),
                    reason == ELOOP ? "the link leads back to itself: name the file itself"
                                    : "check the path"));
  }
  std::string bytes;
  file.seekg(0, std::ios::end);
  const auto size = file.tellg();
  if (size > 0 && static_cast<std::uintmax_t>(size) > largest_bytes) {
    throw StructureError(
        fmt::format("{}: {} bytes, more than the {} that are read of such a file; "
                    "is this the right one?",
                    path.string(), static_cast<std::uintmax_t>(size), largest_bytes));
  }
  if (size > 0) bytes.resize(static_cast<std::size_t>(size));
  file.seekg(0);
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw StructureError(fmt::format("{}: cannot be read to its end", path.string()));
  return bytes;
}

Structure read_structure(const std::filesystem::path& path, const Selection& selection) {
  return parse_structure(read_structure_bytes(path), path.string(), selection);
}

}  // namespace nfold::structure
