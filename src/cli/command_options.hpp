// Options shared by several commands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
class Validator;
}  // namespace CLI

namespace nfold::cli {

/// Validators of numbers on the command line, with the rules of input files: nan, hexadecimal and
/// trailing text are errors. Integers may be written as 1e6.
[[nodiscard]] CLI::Validator real_from(double least, double most);
[[nodiscard]] CLI::Validator real_above(double bound, double most);
[[nodiscard]] CLI::Validator whole_from(std::int64_t least, std::int64_t most);
/// Accepts a size of at least one byte and converts it to bytes: 500MB, 7.6 GB, 2GiB, 4096.
[[nodiscard]] CLI::Validator size_in_bytes();

/// Adds --set KEY=VALUE, which may be repeated.
void add_set_option(CLI::App& command, std::vector<std::string>& overrides);
/// Adds --threads N. `threads` stays 0 if it is not given.
void add_threads_option(CLI::App& command, int& threads);
/// Adds --gpus N|0,2,3|all. `gpus` stays empty if it is not given.
void add_gpus_option(CLI::App& command, std::string& gpus);
/// Adds -o, --output.
void add_output_option(CLI::App& command, std::string& output, const std::string& type,
                       const std::string& help);
/// Adds --overwrite, for commands that write files named by the user.
void add_overwrite_option(CLI::App& command, bool& overwrite);
/// Adds --device-memory SIZE [bytes]. `bytes` stays 0 if it is not given.
void add_device_memory_option(CLI::App& command, std::uint64_t& bytes);

/// Adds --attempt MARK, hidden: launch marks the ranks that it starts.
void add_attempt_option(CLI::App& command);

}  // namespace nfold::cli
