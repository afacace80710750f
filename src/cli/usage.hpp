// The command line itself: where to begin, what was meant by a mistyped word, lists behind --set.
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

/// The three commands that a newcomer begins with, an example each.
[[nodiscard]] std::string first_steps();

/// "; did you mean 'run'?", or nothing if no command is near.
[[nodiscard]] std::string meant_command(const CLI::App& app, std::string_view word);
/// "--overwrite", "-v": of the command itself.
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& command);
/// The same of the first word that begins with '-' and is no option of the command, or the
/// key of the input that has its name.
[[nodiscard]] std::string meant_option(const CLI::App& command,
                                       const std::vector<std::string>& words);

/// The option before each further value behind one --set, --chains or --domains: "--set a.b=1
/// a.c=2", "--chains L H". A word counts as a value of --set if its key is known or begins with a
/// section's name, of the others if it looks like no file, and always only if no file has its name.
[[nodiscard]] std::vector<std::string> with_each_option(std::span<const char* const> words);

}  // namespace nfold::cli
