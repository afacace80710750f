// Paths of a run's files, all in one folder and with one stem.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace nfold::status {

/// Infix between NAME and the number of a replica.
inline constexpr const char* replica_infix = ".replica-";

/// Infix between NAME and -RANK.json, the records of a node's ranks.
inline constexpr const char* rank_files_suffix = ".ranks";

/// Infix between NAME and RANK.status, for a rank with work of its own.
inline constexpr const char* rank_status_infix = ".rank-";

/// Paths of the files of run NAME, the stem of the input file.
struct OutputPaths {
  std::filesystem::path folder;
  std::string name;

  [[nodiscard]] std::filesystem::path with(const char* suffix) const {
    return folder / (name + suffix);
  }
  [[nodiscard]] std::filesystem::path input() const { return with(".input.yaml"); }
  [[nodiscard]] std::filesystem::path checkpoint() const { return with(".ckpt.h5"); }
  [[nodiscard]] std::filesystem::path trajectory() const { return with(".h5md"); }
  [[nodiscard]] std::filesystem::path energies() const { return with(".energies.csv"); }
  [[nodiscard]] std::filesystem::path balance() const { return with(".balance.csv"); }
  [[nodiscard]] std::filesystem::path performance() const { return with(".performance.json"); }
  [[nodiscard]] std::filesystem::path confidence() const { return with(".confidence.json"); }
  [[nodiscard]] std::filesystem::path trace() const { return with(".trace.json"); }
  [[nodiscard]] std::filesystem::path observables() const { return with(".observables.h5"); }
  [[nodiscard]] std::filesystem::path samples() const { return with(".samples"); }
  [[nodiscard]] std::filesystem::path ensemble() const { return with(".ensemble.h5"); }
  [[nodiscard]] std::filesystem::path replica_trajectory(std::int64_t replica) const {
    return replica_path(replica, ".h5md");
  }
  [[nodiscard]] std::filesystem::path replica_table(std::int64_t replica) const {
    return replica_path(replica, ".csv");
  }
  [[nodiscard]] std::filesystem::path status() const { return with(".status"); }
  [[nodiscard]] std::filesystem::path incidents() const { return with(".incidents.jsonl"); }
  [[nodiscard]] std::filesystem::path log() const { return with(".log"); }
  [[nodiscard]] std::filesystem::path explosion() const { return with(".explosion.h5"); }

 private:
  [[nodiscard]] std::filesystem::path replica_path(std::int64_t replica, const char* suffix) const {
    return folder / (name + replica_infix + std::to_string(replica) + suffix);
  }
};

/// Folder within a target's folder for an attempt after the first.
[[nodiscard]] inline std::string attempt_folder(int attempt) {
  return "attempt-" + std::to_string(attempt);
}

/// True for NAME.rank-RANK.status of any rank.
[[nodiscard]] inline bool is_rank_status(const std::filesystem::path& file,
                                         const std::string& name) {
  const auto text = file.filename().string();
  return text.starts_with(name + rank_status_infix) && text.ends_with(".status");
}

/// Suffixes of all files that a run may write. --overwrite removes no others, and these only if
/// run_files.hpp proves that they are a run's. Files of replicas are NAME.replica-R with one of
/// replica_suffixes.
inline constexpr std::array output_suffixes{".input.yaml",
                                            ".input.yaml.tmp",
                                            ".ckpt.h5",
                                            ".ckpt.prev.h5",
                                            ".ckpt.h5.tmp",
                                            ".ckpt.h5.link",
                                            ".explosion.h5",
                                            ".h5md",
                                            ".h5md.journal",
                                            ".energies.csv",
                                            ".balance.csv",
                                            ".performance.json",
                                            ".performance.json.tmp",
                                            ".confidence.json",
                                            ".confidence.json.tmp",
                                            ".trace.json",
                                            ".trace.json.tmp",
                                            ".observables.h5",
                                            ".observables.h5.tmp",
                                            ".samples",
                                            ".ensemble.h5",
                                            ".ensemble.h5.tmp",
                                            ".incidents.jsonl",
                                            ".incidents.jsonl.tmp",
                                            ".status",
                                            ".status.tmp",
                                            ".log",
                                            ".dcd",
                                            ".psf",
                                            ".explosion.prev.h5",
                                            ".explosion.h5.tmp",
                                            ".explosion.h5.link"};
inline constexpr std::array<std::string_view, 3> replica_suffixes{".h5md", ".h5md.journal", ".csv"};

/// Files of tools/report.py in the run's folder: a page, and pictures (NAME.png) beside it.
inline constexpr const char* report_folder = "report";
inline constexpr const char* report_page = "report.html";
inline constexpr std::array<std::string_view, 26> report_pictures{"balance",
                                                                  "chain",
                                                                  "chain_sizes",
                                                                  "clusters",
                                                                  "confidence",
                                                                  "contact_maps",
                                                                  "contact_probability",
                                                                  "contacts",
                                                                  "density_profile",
                                                                  "displacement",
                                                                  "energies",
                                                                  "folding",
                                                                  "folding_order",
                                                                  "free_energy",
                                                                  "landscape",
                                                                  "overview",
                                                                  "exchange",
                                                                  "partitions",
                                                                  "performance",
                                                                  "kinetics",
                                                                  "phase_locking",
                                                                  "residue_energy",
                                                                  "sizes",
                                                                  "temperature",
                                                                  "thermodynamics",
                                                                  "umbrella"};

/// Infix between NAME and the number of a copied input file.
inline constexpr const char* input_copy_infix = ".file-";

/// Returns the paths in --output DIR, or in NAME.out in the current folder. The input
/// NAME.input.yaml of a run belongs to run NAME, by default in the folder of the file, so that a
/// copied folder can be resumed.
[[nodiscard]] inline OutputPaths output_paths(const std::filesystem::path& input_file,
                                              const std::string& output_option) {
  std::string name = input_file.stem().string();
  if (constexpr std::string_view mark = ".input";
      name.size() > mark.size() && name.ends_with(mark)) {
    name.resize(name.size() - mark.size());
    const OutputPaths own{input_file.parent_path(), name};
    std::error_code error;
    if (output_option.empty() && std::filesystem::exists(own.status(), error)) {
      return {own.folder.empty() ? "." : own.folder, name};
    }
  }
  return {output_option.empty() ? std::filesystem::path(name + ".out")
                                : std::filesystem::path(output_option),
          name};
}

}  // namespace nfold::status
