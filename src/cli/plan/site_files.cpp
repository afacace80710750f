// Copies of the input, and scripts beside them.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/plan/site_files.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <iostream>
#include <span>

#include "core/read_text.hpp"
#include "core/status/output_paths.hpp"
#include "estimate/result_cache.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"
#include "input/named_files.hpp"
#include "session/job/changed_input.hpp"
#include "session/job/output_folder.hpp"
#include "session/job/result_files.hpp"

namespace nfold::plan {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t digest_digits = 12;

}  // namespace

std::string name_of_job(const fs::path& file, const input::Settings& settings) {
  std::string text;
  for (const auto& key : input::all_keys()) {
    if (key.on_resume == document::OnResume::allow) continue;
    text += fmt::format("{}:{}\n", key.name, input::value_block(key, settings, 2));
  }
  const auto files = input::find_input_files(settings, file);
  for (const auto& named : std::span(files).subspan(1)) {
    text += estimate::hash_key(core::read_required_text(named)) + "\n";
  }
  return fmt::format("{}-{}", status::output_paths(file, ".").name,
                     estimate::hash_key(text).substr(0, digest_digits));
}

void require_writable_scripts(const PlanOptions& options) {
  const fs::path folder = options.write;
  job::make_output_folder(folder);
  job::require_writable(
      std::array{job::ResultFile{"--write", folder / estimate::here_script_name},
                 job::ResultFile{"--write", folder / estimate::there_script_name}},
      options.overwrite ? job::Overwrite::yes : job::Overwrite::no,
      std::array<fs::path, 2>{options.input, options.machine});
}

InputBundle copy_input(const PlanOptions& options, const input::Settings& settings) {
  InputBundle bundle;
  bundle.name = status::output_paths(options.input, ".").name;
  const fs::path folder = options.write;
  auto stored = job::to_stored_settings(settings, options.input, {folder, bundle.name}, true);
  for (auto* start : {&stored.start.checkpoint, &stored.start.coordinates}) {
    if (start->empty()) continue;
    const auto name =
        bundle.name + status::input_copy_infix + "0-" + fs::path(*start).filename().string();
    fs::copy_file(folder / *start, folder / name, fs::copy_options::overwrite_existing);
    *start = name;
  }
  const auto input = folder / (bundle.name + ".yaml");
  for (const auto& file : input::find_input_files(stored, input)) {
    bundle.files.push_back(file.filename().string());
  }
  job::write_result(input, input::write_input(stored));
  bundle.job = name_of_job(input, stored);
  return bundle;
}

void write_site_scripts(const PlanOptions& options, const estimate::SiteScript& here,
                        const std::optional<estimate::JobScript>& there) {
  const fs::path folder = options.write;
  const auto first = folder / estimate::here_script_name;
  if (there) {
    job::write_result(folder / estimate::there_script_name, estimate::format_text(*there));
  }
  job::write_result(first, estimate::format_text(here));
  if (options.json) return;
  std::cout << fmt::format("scripts: {}; start here by: bash {}\n", folder.string(),
                           estimate::quote_bash(first.string()));
}

}  // namespace nfold::plan
