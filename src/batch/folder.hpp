// Folder of a batch: its files, those of each target, and the rows of its tables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/status/output_paths.hpp"
#include "input/batch_file.hpp"

namespace nfold::batch {

/// Paths of a batch's files:
///
///     FOLDER/running.csv             ledger of starts and ends (batch/ledger.hpp)
///     FOLDER/results.csv failed.csv  one row a target, in the order of ends until the batch ends
///     FOLDER/results.h5              the same of chains or slabs, and distances or profiles, at
///     the
///                                    end
///     FOLDER/binodal.csv             critical point of each protein in a list of slabs, at the end
///     FOLDER/times.csv               wall time, host and backend of each target
///     FOLDER/batch.yaml log status performance.json trace.json
///     FOLDER/running.part-2-of-4.csv etc.: the same files of one part of a list
///     FOLDER/batch.rank-RANK.status  current work of a rank, while the batch runs
///     FOLDER/NAME/                   files of one target:
///       NAME.result.csv              its row, written once when it is finished
///       NAME.failed.csv              reason of its failure
///       NAME.h5                      its tables
///       NAME.prediction.json         estimated and measured times
///       NAME.space.yaml              its backend and the reason, written before its first step
///       STAGE.yaml STAGE/            input and output of each run; that of a chain is removed at
///                                    its end, unless it has trajectories
///       attempt-2/STAGE...           the same of later attempts
struct BatchFolder {
  using Path = std::filesystem::path;

  Path folder;
  std::string part = {};  ///< ".part-2-of-4", infix of one part's files. Empty: all.

  [[nodiscard]] Path running() const { return file("running", ".csv"); }
  [[nodiscard]] Path results() const { return file("results", ".csv"); }
  [[nodiscard]] Path results_hdf5() const { return file("results", ".h5"); }
  [[nodiscard]] Path binodal() const { return file("binodal", ".csv"); }
  [[nodiscard]] Path failed() const { return file("failed", ".csv"); }
  [[nodiscard]] Path times() const { return file("times", ".csv"); }
  [[nodiscard]] Path targets() const { return file("batch", ".yaml"); }
  [[nodiscard]] Path log() const { return file("batch", ".log"); }
  [[nodiscard]] Path incidents() const { return file("batch", ".incidents.jsonl"); }
  [[nodiscard]] Path status() const { return file("batch", ".status"); }
  [[nodiscard]] Path rank_status(int rank) const {
    return folder / fmt::format("{}{}{}.status", name(), status::rank_status_infix, rank);
  }
  /// Returns the stem of log, status and incident files, like status::OutputPaths::name.
  [[nodiscard]] std::string name() const { return "batch" + part; }
  /// True if a batch or a part of one has begun in this folder.
  [[nodiscard]] bool has_begun() const;

  [[nodiscard]] Path of(const std::string& target) const { return folder / target; }
  [[nodiscard]] Path result(const std::string& target) const { return of(target, ".result.csv"); }
  [[nodiscard]] Path failure(const std::string& target) const { return of(target, ".failed.csv"); }
  [[nodiscard]] Path backend(const std::string& target) const { return of(target, ".space.yaml"); }
  [[nodiscard]] Path tables(const std::string& target) const { return of(target, ".h5"); }
  [[nodiscard]] Path estimate(const std::string& target) const {
    return of(target, ".prediction.json");
  }
  /// attempt: from 1.
  [[nodiscard]] Path attempt(const std::string& target, int attempt) const {
    return attempt == 1 ? of(target) : of(target) / status::attempt_folder(attempt);
  }

 private:
  [[nodiscard]] Path file(const char* stem, const char* suffix) const {
    return folder / (stem + part + suffix);
  }
  [[nodiscard]] Path of(const std::string& target, const char* suffix) const {
    return of(target) / (target + suffix);
  }
};

inline constexpr std::string_view failed_header = "target,attempts,reason";

inline constexpr std::string_view results_header =
    "target,protocol,space,verdict,reason,residues,chains,contacts,time_step_ps,mass_amu,"
    "folding_temperature_kelvin,folding_temperature_error_kelvin,barrier_kt,barrier_error_kt,"
    "free_energy,starts_differ_in_q,round_trips,predicted_gpu_seconds,ladder_replicas,ladder_steps,"
    "kinetics_kelvin,kinetics_replicas,kinetics_steps,folded_fraction,mean_folding_time_ns,"
    "folding_time_low_ns,folding_time_high_ns,attempts,remark";

/// Columns of results.csv in a list of chains only.
inline constexpr std::string_view chains_header =
    "target,protocol,space,verdict,reason,residues,net_charge_e,positive_fraction,"
    "negative_fraction,charge_decoration_e2,charge_segregation,temperature_kelvin,"
    "radius_of_gyration_nm,radius_of_gyration_error_nm,radius_of_gyration_samples,end_to_end_nm,"
    "end_to_end_error_nm,"
    "end_to_end_samples,scaling_exponent,scaling_exponent_error,scaling_from,scaling_to,"
    "hydrodynamic_radius_nm,hydrodynamic_radius_error_nm,hydrodynamic_radius_samples,asphericity,"
    "asphericity_error,asphericity_samples,shape_anisotropy,shape_anisotropy_error,"
    "shape_anisotropy_samples,steps,equilibration_steps,correlation_time_ns,time_step_ps,attempts,"
    "remark";

/// Columns of results.csv in a list of slabs only. Concentrations are those of the first species;
/// the second is the client.
inline constexpr std::string_view phases_header =
    "target,protein,protocol,space,verdict,reason,temperature_kelvin,ionic_strength_molar,ph,"
    "dense_mg_ml,dense_error_mg_ml,dilute_mg_ml,dilute_error_mg_ml,dilute_upper_bound_mg_ml,"
    "dense_molar,dense_error_molar,dilute_molar,dilute_error_molar,dilute_upper_bound_molar,"
    "dilute_samples,transfer_free_energy_kj_mol,transfer_free_energy_error_kj_mol,"
    "transfer_free_energy_upper_bound_kj_mol,interface_width_nm,interface_width_error_nm,"
    "slab_thickness_nm,slab_thickness_error_nm,surface_tension_mn_m,surface_tension_error_mn_m,"
    "client,client_partition,client_partition_error,client_partition_lower_bound,chains,residues,"
    "box_x_nm,box_y_nm,box_z_nm,steps,equilibration_steps,relaxation_time_ns,time_step_ps,attempts,"
    "remark";

/// Returns the columns of a protocol's results.
[[nodiscard]] std::string_view protocol_columns(input::Protocol protocol);

/// Returns the columns of results.csv: of the protocol of all targets, else results_header, in
/// which other protocols have a verdict and no numbers.
[[nodiscard]] std::string_view results_columns(const input::BatchFile& list);

/// Row of results: values by column name. Columns that do not apply to a target are empty.
class ResultRow {
 public:
  ResultRow();
  /// Throws std::invalid_argument if there is no such column.
  void set(std::string_view column, std::string value);
  void set(std::string_view column, double value);
  /// Appends to the column `remark`. Ignores an empty text.
  void add_remark(const std::string& text);
  [[nodiscard]] std::string get(std::string_view column) const;
  /// Returns these columns as a line.
  [[nodiscard]] std::string line(std::string_view columns) const;
  /// Parses a line of these columns. None if their number differs.
  [[nodiscard]] static std::optional<ResultRow> parse(std::string_view line,
                                                      std::string_view columns);
  /// Reads NAME.result.csv. None if it is missing, truncated or of other columns.
  [[nodiscard]] static std::optional<ResultRow> read(const std::filesystem::path& file);

 private:
  std::vector<std::string> values_;  // by all_columns()
};

/// Reads the second line of a two-line table. None if the file is missing or truncated.
[[nodiscard]] std::optional<std::string> read_row(const std::filesystem::path& table);

/// Writes the header and the row of each existing file of `rows`, in order. Atomic.
void write_table(const std::filesystem::path& table, std::string_view header,
                 const std::vector<std::filesystem::path>& rows);

}  // namespace nfold::batch
