// Options of nfold check, its findings, and its check of memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/check_partitions.hpp"
#include "input/settings.hpp"
#include "session/job/failure.hpp"
#include "session/setup/memory_estimate.hpp"

namespace nfold::cli {

struct CheckOptions {
  std::filesystem::path input;
  std::filesystem::path openmm_system;  ///< SYSNAME.xml of a CALVADOS folder; empty: none
  std::vector<std::string> overrides;
  std::string output;
  bool overwrite = false;
  bool no_time = false;
  bool memory = false;
  std::string machine;  ///< with `memory`: its GPUs; empty: the devices here
  bool json = false;
  bool compares_partitions = false;
  PartitionRequest partitions;
  int ranks = 1;
  int threads = 0;
  std::uint64_t device_memory = 0;
};

/// Results of the checks. A check that throws adds an error; the other checks still run.
struct Findings {
  std::vector<std::string> errors, notes;
  nlohmann::ordered_json details;  ///< further members of --json

  void note(std::string text) {
    if (!text.empty()) notes.push_back(std::move(text));
  }
  void note_all(const std::vector<std::string>& texts) {
    for (const auto& text : texts) note(text);
  }
  bool collect(const std::function<void()>& check) {
    try {
      check();
      return true;
    } catch (const std::exception& failure) {
      errors.emplace_back(job::to_failure(failure).what());
      return false;
    }
  }
};

/// An input file, or a target of a list with the settings of its first part.
struct CheckedInput {
  std::filesystem::path file;  ///< relative paths start from its folder
  input::Settings settings;
};

/// Adds an error if the memory exceeds the limit. With --memory only an explicit limit counts,
/// because the table is made for any machine. estimator: null for an ensemble.
void refuse_memory(const CheckOptions& options, const setup::RunMemory& memory,
                   const setup::MemoryEstimator* estimator, const input::Settings& settings,
                   Findings& findings);
/// Runs only the memory check.
void check_memory(const CheckOptions& options, const CheckedInput& input, Findings& findings);

}  // namespace nfold::cli
