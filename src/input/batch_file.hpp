// Targets of `nfold batch`: the file that lists them, and the settings of their runs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"
#include "core/input_error.hpp"
#include "input/settings.hpp"

// batch:                     # optional
//   protocol: folding        # work done with a target: folding, chain, phase or run
//   budget_gpu_seconds: 0    # of folding; 0: by size
//   seed: 1
//   execution: auto          # ranks of the job that compute: auto, cpu or gpu
//   idle_ranks_join: true    # ranks without work join targets that others have started
//   ranks_per_node: 0        # consecutive ranks that count as a node; 0: as MPI finds them
//   machine: FILE.yaml       # table of speeds, or the name of a built-in machine; default: h200
// input: {...}               # keys of an input file, for all targets
// targets:
// - structure: 1ubq.pdb.gz   # or sequence: MDVF..., or input_file: FILE.yaml, or none of them if
//                            # `input` has all keys
//   name: ubiquitin          # of its folder; default: that of the structure or input file
//   chains: [A]
//   model: 1
//   protocol: run
//   execution: cpu
//   input: {...}             # keys of this target, which override those for all
namespace nfold::input {

/// Work done with a target. folding: folding temperature, free energy and folding times of a go
/// model. chain: size and shape of one chain, which is chosen for a target with a sequence. run:
/// the run that its input describes. phase: concentrations of both phases of a slab, which its
/// input describes.
enum class Protocol { folding, chain, run, phase };

/// Ranks that compute a target in a job with GPUs and CPUs; automatic: by estimated time.
enum class Execution { automatic, cpu, gpu };

/// A named entry of the list. Any other error in it is found by read_target_input() and fails this
/// target alone.
struct BatchTarget {
  std::string name;  ///< letters, digits and ._-+, unique in the file
  core::SourcePosition at;
  document::InputNode entry;
};

/// True for a file that a batch writes beside the folders of its targets: batch.part-2-of-4.log,
/// times.csv. No target may have such a name.
[[nodiscard]] bool is_batch_output(std::string_view name);

struct BatchFile {
  std::string file;  ///< name in messages; relative paths start from its folder
  Protocol protocol = Protocol::folding;
  double budget_gpu_seconds = 0;  ///< budget of one H200 per target; 0: by size
  std::uint64_t seed = 1;
  Execution execution = Execution::automatic;
  bool idle_ranks_join = true;
  int ranks_per_node = 0;  ///< consecutive ranks that count as a node; 0: as MPI finds them
  std::string machine;  ///< table of speeds, relative to the list's folder; empty: the built-in one
  document::InputNode input;
  std::vector<BatchTarget> targets;
  std::optional<Protocol> only_protocol;  ///< protocol of all targets; none if they differ
};

/// Describes the keys of the list, for `nfold help batch`.
[[nodiscard]] std::string batch_help();

/// Parses a list without reading any file. Throws InputError with all problems of the list as a
/// whole.
[[nodiscard]] BatchFile parse_batch(std::string_view text, const std::string& file);

/// Returns the text of a batch of all structures and input files of a folder, by name. Throws
/// InputError if there are none.
[[nodiscard]] std::string batch_of_folder(const std::filesystem::path& folder);

struct TargetInput {
  Protocol protocol = Protocol::folding;
  Execution execution = Execution::automatic;
  /// KEY=VALUE with priority between the protocol's defaults and the keys of `sections`.
  std::vector<std::string> target_values;
  std::vector<std::string> files;             ///< (sections) file of each
  std::vector<document::InputNode> sections;  ///< ascending priority
  std::filesystem::path path_base;            ///< relative paths start from this file's folder

  /// Merges the settings: `first` has the lowest priority, `last` the highest. Throws InputError.
  [[nodiscard]] input::Settings settings(const std::vector<std::string>& first,
                                         const std::vector<std::string>& last) const;
};

/// Returns the input of one target; reads its input_file if it names one. Throws InputError.
[[nodiscard]] TargetInput read_target_input(const BatchFile& batch, const BatchTarget& target);

/// Returns the `devices` of the whole job, from the list's `input` and the command line. Throws
/// InputError.
[[nodiscard]] input::DeviceSettings parse_device_settings(
    const BatchFile& batch, const std::vector<std::string>& overrides);

/// Returns a target's seed, derived from the batch's seed and its name.
[[nodiscard]] std::uint64_t target_seed(std::uint64_t batch_seed, std::string_view name);

}  // namespace nfold::input
