// Options that several commands share, worded once.
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

/// Checks of numbers on the command line, by the rules of numbers in input files: nan, hexadecimal
/// and trailing text are none. Whole numbers may be written as 1e6.
[[nodiscard]] CLI::Validator real_from(double least, double most);
[[nodiscard]] CLI::Validator real_above(double bound, double most);
[[nodiscard]] CLI::Validator whole_from(std::int64_t least, std::int64_t most);
/// A size of at least a byte, in bytes afterwards: 500MB, 7.6 GB, 2GiB, 4096.
[[nodiscard]] CLI::Validator size_in_bytes();

/// --set KEY=VALUE, any number of times.
void add_set_option(CLI::App& command, std::vector<std::string>& overrides);
/// --threads N; 0 stays where it is not given.
void add_threads_option(CLI::App& command, int& threads);
/// --gpus N|0,2,3|all; empty stays where it is not given.
void add_gpus_option(CLI::App& command, std::string& gpus);
/// -o, --output.
void add_output_option(CLI::App& command, std::string& output, const std::string& type,
                       const std::string& help);
/// --overwrite for commands that write files which a user names.
void add_overwrite_option(CLI::App& command, bool& overwrite);
/// --device-memory SIZE [bytes]; 0 stays where it is not given.
void add_device_memory_option(CLI::App& command, std::uint64_t& bytes);

/// --attempt MARK, hidden: launch marks the ranks that it starts.
void add_attempt_option(CLI::App& command);

}  // namespace nfold::cli
