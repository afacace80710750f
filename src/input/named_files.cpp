// Search of an input's keys that name files.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/named_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <string_view>

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
  return files;
}

void rebase_paths(input::Settings& settings, const fs::path& from_file, const fs::path& to_folder) {
  for (std::string* path : named_files(settings)) {
    if (fs::path(*path).is_absolute()) continue;
    const auto from = fs::absolute(path_from_input(from_file, *path)).lexically_normal();
    *path = from.lexically_relative(fs::absolute(to_folder).lexically_normal()).string();
  }
}

}  // namespace nfold::input
