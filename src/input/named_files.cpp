// Search of an input's keys that name files.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/named_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <string_view>
#include <utility>

#include "core/input_error.hpp"
#include "core/read_text.hpp"
#include "input/force_field_file.hpp"
#include "input/input.hpp"

namespace nfold::input {

namespace fs = std::filesystem;

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("._-+").find(c) != std::string_view::npos;
}

std::string to_name(std::string text) {
  std::ranges::replace_if(text, std::not_fn(is_name_character), '_');
  return text;
}

bool is_structure_name(const fs::path& file) {
  constexpr std::array<std::string_view, 4> endings{".pdb", ".ent", ".cif", ".mmcif"};
  const auto plain = file.extension() == ".gz" ? file.stem() : file;
  return std::ranges::find(endings, plain.extension().string()) != endings.end();
}

namespace {

/// Returns the index of a line and column of a text, both from 1.
std::size_t find_place(std::string_view text, int line, int column) {
  std::size_t place = 0;
  for (; line > 1; --line) place = text.find('\n', place) + 1;
  return place + static_cast<std::size_t>(column) - 1;
}

}  // namespace

std::vector<std::string*> named_files(input::Settings& settings) {
  std::vector<std::string*> all{&settings.system.structure};
  const auto add_confidence = [&](std::vector<std::string>& confidence) {
    for (std::string& file : confidence) {
      if (!is_confidence_word(file)) all.push_back(&file);
    }
  };
  add_confidence(settings.system.confidence);
  for (auto& species : settings.system.species) {
    all.push_back(&species.structure);
    all.push_back(&species.fasta);
    all.push_back(&species.molecule);
    all.push_back(&species.areas);
    add_confidence(species.confidence);
  }
  all.push_back(&settings.system.restraints);
  all.push_back(&settings.force_field.condensate.table);
  all.push_back(&settings.start.checkpoint);
  all.push_back(&settings.start.coordinates);
  std::erase_if(all, [](const std::string* path) { return path->empty(); });
  return all;
}

std::vector<fs::path> find_input_files(input::Settings settings, const fs::path& input_file) {
  std::vector<fs::path> files{input_file};
  for (const std::string* path : named_files(settings)) {
    files.push_back(path_from_input(input_file, *path));
  }
  const auto& table = settings.force_field.condensate.table;
  if (table.empty()) return files;
  const auto of_table = read_table_files(path_from_input(input_file, table));
  for (std::size_t k = 1; k < of_table.size(); ++k) files.push_back(of_table[k].path);
  return files;
}

std::string TableFile::renamed(const std::vector<std::string>& file_names) const {
  std::string changed;
  std::size_t done = 0;
  for (const Name& name : names) {
    changed += text.substr(done, name.begin - done) + file_names.at(name.file);
    done = name.begin + name.length;
  }
  return changed + text.substr(done);
}

std::vector<TableFile> read_table_files(const fs::path& table) {
  std::vector<TableFile> files;
  const auto read = [&](const std::string& path) {
    files.push_back({path, core::read_required_text(path), {}});
    return files.back().text;
  };
  // The files that extend each other are read in the order of their sources.
  const std::string first = read(table.string());
  const ForceFieldFile field(first, table.string(), read);
  for (const FileName& name : field.file_names()) {
    TableFile& file = files.at(static_cast<std::size_t>(name.source));
    const auto place = find_place(file.text, name.line, name.column);
    const auto begin = file.text.find(name.text, place);
    if (begin == std::string::npos || begin > place + 1) {  // a quotation mark may come first
      throw core::InputError({file.path.string(), name.line, name.column},
                             "a name of a file with escapes", "write it plainly");
    }
    const auto named = std::ranges::find(files, fs::path(name.path), &TableFile::path);
    file.names.push_back(
        {begin, name.text.size(), static_cast<std::size_t>(named - files.begin())});
  }
  for (TableFile& file : files) std::ranges::sort(file.names, {}, &TableFile::Name::begin);
  return files;
}

bool is_same_force_field(const fs::path& a, const fs::path& b) {
  const auto one = read_table_files(a), other = read_table_files(b);
  const std::vector<std::string> no_names(one.size());
  return std::ranges::equal(one, other, [&](const TableFile& a_file, const TableFile& b_file) {
    return a_file.renamed(no_names) == b_file.renamed(no_names);
  });
}

void rebase_paths(input::Settings& settings, const fs::path& from_file, const fs::path& to_folder) {
  for (std::string* path : named_files(settings)) {
    if (fs::path(*path).is_absolute()) continue;
    const auto from = fs::absolute(path_from_input(from_file, *path)).lexically_normal();
    *path = from.lexically_relative(fs::absolute(to_folder).lexically_normal()).string();
  }
}

}  // namespace nfold::input
