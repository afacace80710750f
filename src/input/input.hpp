// Conversion between the text of an input file and settings: parse, override, write, compare.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"
#include "core/input_error.hpp"
#include "input/settings.hpp"

namespace nfold::input {

/// Parses settings from the text of an input file (YAML). Reads no file: one rank reads, all parse
/// the same broadcast text with the same result. `file` names it in errors; `overrides` are the
/// values of --set, "dynamics.steps=1000", applied in order after the text. Any bytes are safe.
/// Throws InputError with every problem found.
[[nodiscard]] input::Settings parse_input(std::string_view text, const std::string& file,
                                          const std::vector<std::string>& overrides = {});

/// One layer of an input: sections of a document, then KEY=VALUE texts.
struct InputLayer {
  std::string file;  ///< name in errors
  document::InputNode sections;
  std::vector<std::string> values;
};
/// Parses settings from layers; later layers override earlier ones. `file` is the position of
/// missing keys. Throws InputError.
[[nodiscard]] input::Settings parse_layers(const std::vector<InputLayer>& layers,
                                           const std::string& file);

/// Writes every key with its value as YAML, which parse_input() converts back to the same settings
/// bit for bit. Checkpoints and output folders contain it.
[[nodiscard]] std::string write_input(const input::Settings& settings);

/// Reads the bytes of an input file. Throws InputError if it cannot be read or is too large.
[[nodiscard]] std::string read_input_text(const std::filesystem::path& file);

/// Converts a path of the input to one from the working directory: relative paths start at the
/// input file's folder.
[[nodiscard]] std::filesystem::path path_from_input(const std::filesystem::path& input_file,
                                                    const std::string& path);

/// A key that differs between the checkpoint's input and the one given to a resume.
struct ChangedKey {
  std::string key;  ///< "dynamics.seed"
  std::string before, now;
  bool allowed = false;  ///< true for steps, output and keys that affect no bit of the result
};

/// Returns all keys that differ, in the order of the reference.
[[nodiscard]] std::vector<ChangedKey> changed_keys(const input::Settings& before,
                                                   const input::Settings& now);

}  // namespace nfold::input
