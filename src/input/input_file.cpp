// Access to the input file on disk.
// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "core/document/document.hpp"
#include "core/refusal.hpp"
#include "input/input.hpp"
#include "input/named_files.hpp"

namespace nfold::input {

namespace {
/// True for a structure or sequence file, which new users pass to nfold run.
bool is_protein_file(const std::filesystem::path& file) {
  constexpr std::array<std::string_view, 4> endings{".fa", ".faa", ".fasta", ".fas"};
  const auto plain = file.extension() == ".gz" ? file.stem() : file;
  return is_structure_name(file) ||
         std::ranges::find(endings, plain.extension().string()) != endings.end();
}
}  // namespace

std::string read_input_text(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (error && error != std::errc::no_such_file_or_directory) {
    const bool is_loop = error == std::errc::too_many_symbolic_link_levels;
    core::refuse(
        file.string(), "cannot be opened: " + error.message(),
        is_loop ? "the link leads back to itself: name the file itself" : "check the path");
  }
  if (!std::filesystem::exists(status)) {
    core::refuse(file.string(), "no such file",
                 "name an input file in YAML; 'nfold prepare' makes one");
  }
  if (std::filesystem::is_directory(status)) {
    core::refuse(file.string(), "is a folder", "name the input file in it");
  }
  if (is_protein_file(file)) {
    core::refuse(file.string(), "is a structure or a sequence, not an input file",
                 "'nfold prepare " + file.string() + "' writes an input file for it");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) core::refuse(file.string(), std::strerror(errno), "it must be readable");
  // One byte more than allowed is enough to refuse the file. A pipe or device has no size to query.
  std::string text(document::largest_input_bytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (stream.bad())
    core::refuse(file.string(), "reading failed", "is the file system still there?");
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

std::filesystem::path path_from_input(const std::filesystem::path& input_file,
                                      const std::string& path) {
  return input_file.parent_path() / path;  // an absolute `path` replaces the folder
}

}  // namespace nfold::input
