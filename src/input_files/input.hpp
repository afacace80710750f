// From the text of an input file to settings, and back: parse, override, write, compare.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "document/document.hpp"
#include "document/input_error.hpp"

namespace nfold::input_files {

/// Settings from the text of an input file (YAML). Reads no file: one rank reads, all parse the
/// same broadcast text and reach the same verdict. `file` names it in errors; `overrides` are the
/// values of --set, "dynamics.steps=1000", applied in order after the text. Any bytes are safe.
/// Throws InputError with every problem found.
[[nodiscard]] config::Settings parse_input(std::string_view text, const std::string& file,
                                           const std::vector<std::string>& overrides = {});

/// Part of an input that comes from several places: sections of a document, then KEY=VALUE texts.
struct InputLayer {
  std::string file;  ///< for errors
  document::InputNode sections;
  std::vector<std::string> values;
};
/// The same of layers, later ones over earlier ones; `file` is where a missing key is missing.
[[nodiscard]] config::Settings parse_layers(const std::vector<InputLayer>& layers,
                                            const std::string& file);

/// Every key with its value, as YAML that parse_input() takes back to the same settings, bit for
/// bit. This is what a checkpoint and an output folder hold.
[[nodiscard]] std::string write_input(const config::Settings& settings);

/// The bytes of an input file. InputError if it cannot be read or is larger than any input.
[[nodiscard]] std::string read_input_text(const std::filesystem::path& file);

/// A path of the input as seen from here: relative ones start at the input file's folder.
[[nodiscard]] std::filesystem::path path_from_input(const std::filesystem::path& input_file,
                                                    const std::string& path);

/// A key that differs between the checkpoint's input and the one given to a resume.
struct ChangedKey {
  std::string key;  ///< "dynamics.seed"
  std::string before, now;
  bool allowed = false;  ///< steps, output and what enters no bit may change
};

/// All keys that differ, in the order of the reference.
[[nodiscard]] std::vector<ChangedKey> changed_keys(const config::Settings& before,
                                                   const config::Settings& now);

}  // namespace nfold::input_files
