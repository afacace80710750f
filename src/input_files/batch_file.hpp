// The targets of `nfold batch`: the file that lists them, and how each becomes settings of runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.hpp"
#include "document/document.hpp"
#include "document/input_error.hpp"

// batch:                     # all of it may be left out
//   protocol: folding        # what is done with a target: folding or run
//   budget_gpu_seconds: 0    # of folding; 0: by size
//   seed: 1
//   execution: auto          # on which ranks of the job: auto, cpu or gpu
//   idle_ranks_join: true    # ranks without work join targets that others have started
//   ranks_per_node: 0        # so many ranks in a row count as a node; 0: as they are
//   machine: FILE.yaml       # its speeds, or the name of a built-in machine; default: h200
// input: {...}               # keys of an input file, for all targets
// targets:
// - structure: 1ubq.pdb.gz   # or input_file: FILE.yaml, or neither: then `input` says all
//   name: ubiquitin          # of its folder; default: that of the structure or input file
//   chains: [A]
//   model: 1
//   protocol: run
//   execution: cpu
//   input: {...}             # its own keys, over those for all
namespace nfold::input_files {

/// What is done with a target: folding temperature, free energy and folding times of a go model, or
/// the run that its input describes.
enum class Protocol { folding, run };

/// On which ranks of a job with GPUs and CPUs: by predicted time, or as told.
enum class Execution { automatic, cpu, gpu };

/// An entry that has a name; whatever else is wrong with it is found by runs_of(), and is then the
/// failure of this target alone.
struct BatchTarget {
  std::string name;  ///< letters, digits and ._-+, unique in the file
  document::SourcePosition at;
  document::InputNode entry;
};

/// Name of a file that a batch writes beside the folders of its targets: batch.part-2-of-4.log,
/// times.csv. No target may have it.
[[nodiscard]] bool is_batchs_file(std::string_view name);

struct BatchFile {
  std::string file;  ///< for messages, and where relative paths start
  Protocol protocol = Protocol::folding;
  double budget_gpu_seconds = 0;  ///< of one H200, per target; 0: by size
  std::uint64_t seed = 1;
  Execution execution = Execution::automatic;
  bool idle_ranks_join = true;
  int ranks_per_node = 0;  ///< that count as a node, in a row; 0: as they are
  std::string machine;     ///< a table of speeds, from the list's folder; empty: the built-in one
  document::InputNode input;
  std::vector<BatchTarget> targets;
};

/// The keys of the list and what they mean, for `nfold help batch`.
[[nodiscard]] std::string batch_help();

/// Reads no file but the text. InputError with all problems of the list as a whole.
[[nodiscard]] BatchFile parse_batch(std::string_view text, const std::string& file);

/// The text of a batch of all structures and input files of a folder, by name. InputError if there
/// are none.
[[nodiscard]] std::string batch_of_folder(const std::filesystem::path& folder);

struct TargetInput {
  Protocol protocol = Protocol::folding;
  Execution execution = Execution::automatic;
  /// KEY=VALUE over what the protocol says, below what the file says; then the file's own keys.
  std::vector<std::string> short_keys;
  std::vector<std::string> files;             ///< (sections) which file each is from
  std::vector<document::InputNode> sections;  ///< in order, later ones win
  std::filesystem::path paths_start;          ///< the file whose folder relative paths start from

  /// `first` below everything that is given, `last` above it. InputError.
  [[nodiscard]] config::Settings settings(const std::vector<std::string>& first,
                                          const std::vector<std::string>& last) const;
};

/// Of one target; reads its input_file if it names one. overrides: KEY=VALUE of the command line.
/// InputError.
[[nodiscard]] TargetInput input_of(const BatchFile& batch, const BatchTarget& target);

/// `devices` of all targets together, which a job has once: of the list's `input` and the command
/// line. InputError.
[[nodiscard]] config::DeviceSettings devices_of(const BatchFile& batch,
                                                const std::vector<std::string>& overrides);

/// A target's own seed: of the batch's seed and its name.
[[nodiscard]] std::uint64_t target_seed(std::uint64_t batch_seed, std::string_view name);

}  // namespace nfold::input_files
