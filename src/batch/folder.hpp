// The folder of a batch: its files, those of each target, and the rows that tables are made of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "job/output_paths.hpp"

namespace nfold::batch {

// FOLDER/running.csv            what was begun and how it ended (batch_ledger.hpp)
// FOLDER/results.csv failed.csv a row a target; while the batch goes on in the order of their ends
// FOLDER/times.csv              how long each took and where: of this way of running it, not of a
// result FOLDER/batch.yaml log status performance.json trace.json
// FOLDER/running.part-2-of-4.csv and so on: the same of one part of a list
// FOLDER/batch.rank-RANK.status what a rank is at, while the batch goes on
// FOLDER/NAME/                  of one target:
//   NAME.result.csv             its row: there once it is finished, and never written again
//   NAME.failed.csv             why it failed
//   NAME.h5                     its tables
//   NAME.prediction.json        what it was predicted to take, and took
//   NAME.space.yaml             where it is computed and why: there since before its first step
//   STAGE.yaml STAGE/           input and output of each run; attempt-2/STAGE... of later attempts
struct BatchFolder {
  std::filesystem::path folder;
  std::string part = {};  ///< ".part-2-of-4": what one part of a list writes for itself

  [[nodiscard]] std::filesystem::path running() const { return file("running", ".csv"); }
  [[nodiscard]] std::filesystem::path results() const { return file("results", ".csv"); }
  [[nodiscard]] std::filesystem::path failed() const { return file("failed", ".csv"); }
  [[nodiscard]] std::filesystem::path times() const { return file("times", ".csv"); }
  [[nodiscard]] std::filesystem::path targets() const { return file("batch", ".yaml"); }
  [[nodiscard]] std::filesystem::path log() const { return file("batch", ".log"); }
  [[nodiscard]] std::filesystem::path performance() const {
    return file("batch", ".performance.json");
  }
  [[nodiscard]] std::filesystem::path trace() const { return file("batch", ".trace.json"); }
  [[nodiscard]] std::filesystem::path incidents() const {
    return file("batch", ".incidents.jsonl");
  }
  [[nodiscard]] std::filesystem::path status() const { return file("batch", ".status"); }
  [[nodiscard]] std::filesystem::path rank_status(int rank) const {
    return folder / fmt::format("{}{}{}.status", name(), job::rank_status_infix, rank);
  }
  /// Of this start of the program, as job::OutputPaths has one.
  [[nodiscard]] std::string name() const { return "batch" + part; }
  /// Whether a batch or a part of one has begun here.
  [[nodiscard]] bool has_begun() const;
  [[nodiscard]] std::filesystem::path of(const std::string& target) const {
    return folder / target;
  }
  [[nodiscard]] std::filesystem::path result(const std::string& target) const {
    return of(target) / (target + ".result.csv");
  }
  [[nodiscard]] std::filesystem::path failure(const std::string& target) const {
    return of(target) / (target + ".failed.csv");
  }
  [[nodiscard]] std::filesystem::path space(const std::string& target) const {
    return of(target) / (target + ".space.yaml");
  }
  [[nodiscard]] std::filesystem::path prediction(const std::string& target) const {
    return of(target) / (target + ".prediction.json");
  }
  [[nodiscard]] std::filesystem::path tables(const std::string& target) const {
    return of(target) / (target + ".h5");
  }
  /// attempt: from 1.
  [[nodiscard]] std::filesystem::path attempt(const std::string& target, int attempt) const {
    return attempt == 1 ? of(target) : of(target) / job::attempt_folder(attempt);
  }

 private:
  [[nodiscard]] std::filesystem::path file(const char* stem, const char* suffix) const {
    return folder / (stem + part + suffix);
  }
};

inline constexpr std::string_view failed_header = "target,attempts,reason";

/// Names of a result's columns and their values, both in the order of results.csv; what does not
/// apply to a target is empty.
class ResultRow {
 public:
  [[nodiscard]] static std::string header();
  /// std::invalid_argument for a column that is none.
  void set(std::string_view column, std::string value);
  void set(std::string_view column, double value);
  /// Adds to what the column `remark` has already; nothing for an empty text.
  void add_remark(const std::string& text);
  [[nodiscard]] std::string get(std::string_view column) const;
  [[nodiscard]] std::string line() const;
  /// From a line of these columns; none if it is another table's.
  [[nodiscard]] static std::optional<ResultRow> parse(std::string_view line);

 private:
  static constexpr std::array<std::string_view, 29> columns{"target",
                                                            "protocol",
                                                            "space",
                                                            "verdict",
                                                            "reason",
                                                            "residues",
                                                            "chains",
                                                            "contacts",
                                                            "time_step_ps",
                                                            "mass_amu",
                                                            "folding_temperature_kelvin",
                                                            "folding_temperature_error_kelvin",
                                                            "barrier_kt",
                                                            "barrier_error_kt",
                                                            "free_energy",
                                                            "starts_differ_in_q",
                                                            "round_trips",
                                                            "predicted_gpu_seconds",
                                                            "ladder_replicas",
                                                            "ladder_steps",
                                                            "kinetics_kelvin",
                                                            "kinetics_replicas",
                                                            "kinetics_steps",
                                                            "folded_fraction",
                                                            "mean_folding_time_ns",
                                                            "folding_time_low_ns",
                                                            "folding_time_high_ns",
                                                            "attempts",
                                                            "remark"};
  std::array<std::string, columns.size()> values_;
};

/// The second line of a table of two; none if the file is not there or torn.
[[nodiscard]] std::optional<std::string> row_of(const std::filesystem::path& table);

/// The rows of all targets that have one, in their order, below the header; whole or as before.
void write_table(const std::filesystem::path& table, std::string_view header,
                 const std::vector<std::filesystem::path>& rows);

}  // namespace nfold::batch
