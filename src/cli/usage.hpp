// Help with the command line: first steps, corrections of mistyped words, repeated values.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}

namespace nfold::cli {

/// Returns the three commands that a new user begins with, with an example each.
[[nodiscard]] std::string first_steps();

/// Returns "; did you mean 'run'?", or an empty text if no command is near.
[[nodiscard]] std::string suggest_command(const CLI::App& app, std::string_view word);
/// Returns the options of the command itself: "--overwrite", "-v".
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& command);
/// Suggests a correction for the first word that begins with '-' and is no option of the command:
/// the nearest option, or the input key of that name.
[[nodiscard]] std::string suggest_option(const CLI::App& command,
                                         const std::vector<std::string>& words);

/// Repeats the option before each further value of --set, --chains or --domains: "--set a.b=1
/// a.c=2", "--chains L H". A word counts as a value of --set if its key is known or begins with a
/// section's name, and of the others if it does not look like a file. A word never counts if a file
/// has its name.
[[nodiscard]] std::vector<std::string> repeat_list_options(std::span<const char* const> words);

}  // namespace nfold::cli
