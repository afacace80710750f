// Options that several commands share, worded once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): the library's own name
class App;
}

namespace nfold::cli {

/// --set KEY=VALUE, any number of times.
void add_set_option(CLI::App& command, std::vector<std::string>& overrides);
/// --threads N; 0 stays where it is not given.
void add_threads_option(CLI::App& command, int& threads);
/// --gpus N|0,2,3|all; empty stays where it is not given.
void add_gpus_option(CLI::App& command, std::string& gpus);
/// --device-memory SIZE [bytes]; 0 stays where it is not given.
void add_device_memory_option(CLI::App& command, std::uint64_t& bytes);

}  // namespace nfold::cli
