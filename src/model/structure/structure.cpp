// Reader of a structure file: bytes, format, model, chains.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/structure/structure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

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

}  // namespace

int Structure::residue_count() const {
  std::size_t count = 0;
  for (const Chain& chain : chains) count += chain.residues.size();
  return static_cast<int>(count);
}

Structure parse_structure(std::string_view bytes, const std::string& name,
                          const Selection& selection) {
  if (selection.model < 1) {
    throw StructureError(
        fmt::format("{}: model {} is selected; expected 1 or more", name, selection.model));
  }
  std::string unpacked;
  if (is_gzip(bytes)) {
    unpacked = gunzip(bytes, name);
    bytes = unpacked;
  }
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  RawStructure raw = detect_format(bytes, name) == Format::pdb
                         ? read_pdb(bytes, name, selection.model)
                         : read_mmcif(bytes, name, selection.model);
  unpacked = {};
  if (selection.model > raw.model_count) {
    throw StructureError(fmt::format("{}: model {} is selected, the file has {}", name,
                                     selection.model, raw.model_count));
  }
  Structure structure = assemble(std::move(raw), name, selection);
  structure.name = file_stem(name);
  return structure;
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
