// Writing of the files of a translated CALVADOS folder.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/calvados/prepare_folder.hpp"

#include <fmt/format.h>

#include <ostream>
#include <system_error>

#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "session/job/failure.hpp"
#include "session/job/result_files.hpp"

namespace nfold::calvados {
namespace {

namespace fs = std::filesystem;

/// Paths of the files: the input's own, the others beside it.
std::vector<fs::path> paths_of(const Translation& made, const fs::path& input) {
  std::vector<fs::path> paths{input};
  for (std::size_t k = 1; k < made.files.size(); ++k) {
    paths.push_back(input.parent_path() / made.files[k].name);
  }
  return paths;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return;
  fs::create_directories(folder, error);
  if (error) {
    core::refuse(folder.string(), "cannot be made: " + error.message(),
                 "name another place by nfold prepare FOLDER -o INPUT.yaml, and give its path");
  }
}

void report(const Translation& made, std::ostream& out) {
  for (const auto& note : made.notes) out << note << '\n';
}

}  // namespace

void prepare_folder(const PrepareFolderOptions& options, std::ostream& out) {
  const auto made = translate(options.folder, options.overrides);
  const fs::path input = options.output.empty() ? default_input(made.folder) : options.output;
  make_folder(input.parent_path());
  const auto paths = paths_of(made, input);
  std::vector<job::ResultFile> results;
  results.reserve(paths.size());
  for (const auto& path : paths) results.push_back({"-o", path});
  job::require_writable(results, options.overwrite ? job::Overwrite::yes : job::Overwrite::no, {});
  for (std::size_t k = 0; k < paths.size(); ++k) job::write_result(paths[k], made.files[k].text);
  report(made, out);
  for (std::size_t c = 0; c < made.molecules.size(); ++c) {
    out << fmt::format("{}: {} copies of {} beads\n", made.folder.components[c].species,
                       made.folder.components[c].copies, made.molecules[c].letters.size());
  }
  for (const auto& path : paths) out << "wrote " << path.string() << '\n';
  out << "next: nfold check " << input.string() << '\n';
}

FolderInput input_of_folder(const fs::path& folder, std::ostream& out) {
  FolderInput given{translate(folder, {}), {}};
  given.input = default_input(given.translation.folder);
  if (!job::is_root_before_mpi()) return given;
  const auto& files = given.translation.files;
  const auto paths = paths_of(given.translation, given.input);
  for (std::size_t k = 0; k < paths.size(); ++k) {
    const auto text = core::read_text(paths[k]);
    if (!text || *text == files[k].text) continue;
    core::refuse(paths[k].string(), "differs from what the folder says",
                 fmt::format("to keep it, give {} in place of the folder; to renew it, nfold "
                             "prepare {} --overwrite",
                             given.input.string(), folder.string()));
  }
  make_folder(given.input.parent_path());
  for (std::size_t k = 0; k < paths.size(); ++k) job::write_result(paths[k], files[k].text);
  report(given.translation, out);
  out << "CALVADOS folder, as " << given.input.string() << std::endl;
  return given;
}

fs::path to_input(const fs::path& given, std::ostream& out) {
  return is_calvados_folder(given) ? input_of_folder(given, out).input : given;
}

}  // namespace nfold::calvados
