// Description of a machine: its nodes, network, prices and measured speeds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "estimate/job_time.hpp"
#include "estimate/machine_table.hpp"
#include "estimate/step_model.hpp"
#include "estimate/transfer.hpp"

namespace nfold::estimate {

/// Data sheet of a GPU or of a CPU core.
struct DataSheet {
  std::string name;
  double memory_gb = 0;  ///< [10^9 bytes] GPUs only
  double memory_gb_per_s = 0;
  double units = 1;  ///< multiprocessors of a GPU; SIMD width of a core in floats
  double clock_mhz = 0;
  double watts = 0;  ///< under full load; of a core with its share of the node. 0: unknown
};

/// GPU of a node whose GPUs differ.
struct NodeGpu {
  double speed = 1;  ///< relative to Machine::gpu
  double memory_gb = 0;
};

struct Machine {
  std::string name;      ///< name of the built-in entry, or of the file
  std::string based_on;  ///< name of the entry whose coefficients it has
  std::string description;
  /// Source of the speeds: "measured 2026-11-25 by nfold bench --calibrate" or "scaled from ...".
  std::string speed_source;
  /// True if scaled by data sheets, not measured: the step coefficients; the curves of replicas and
  /// batches.
  bool steps_are_scaled = false, replicas_are_scaled = false;
  int measured_ranks = 2;  ///< most ranks on which one system was measured; more are extrapolated

  int gpus_per_node = 0, cores_per_node = 1;
  int busy_cores = 0;  ///< cores of a node that others use now, in layouts only on request
  [[nodiscard]] int free_cores() const { return std::max(1, cores_per_node - busy_cores); }
  double host_memory_gb = 0;
  int most_nodes = 1;
  double most_hours = 24;          ///< longest job
  std::vector<std::string> notes;  ///< devices that are left out or shared, with the reason
  NetworkSpeed network;
  double gpu_hour = 0, core_hour = 0;  ///< prices; a GPU's includes its share of the node
  std::string currency = "USD";
  TransferLink transfer;

  std::optional<DataSheet> gpu;
  std::vector<NodeGpu> unequal_gpus;  ///< (gpus_per_node) fittest first; empty: all are `gpu`
  DataSheet core;
  MachineTable speeds;                   ///< curves for batches and replicas
  StepCoefficients gpu_step, core_step;  ///< gpu_step: another machine's if there is no GPU
  JobCosts job;

  [[nodiscard]] bool has_gpus() const { return gpus_per_node > 0 && gpu.has_value(); }
  /// Returns the mean speed of the fittest `count` GPUs of a node, relative to `gpu`. Runs balance
  /// their ranks by speed, and lists and ensembles by queue or score.
  [[nodiscard]] double mean_gpu_speed(int count) const;
  /// Returns the memory [10^9 bytes] of the smallest of the fittest `count` GPUs of a node.
  [[nodiscard]] double gpu_memory_gb(int count) const;
  /// Returns the price of a node for an hour: that of its GPUs, or of its cores if they cost more.
  [[nodiscard]] double node_hour() const;
  [[nodiscard]] const StepCoefficients& step(bool on_gpu) const {
    return on_gpu ? gpu_step : core_step;
  }
  [[nodiscard]] StepCoefficients& step(bool on_gpu) { return on_gpu ? gpu_step : core_step; }
  /// Returns the standard deviation of ln(real / estimated) of a step, or of replicas by their
  /// curves.
  [[nodiscard]] double spread(bool on_gpu, bool of_replicas) const;
};

/// Returns the names of the built-in entries (input/machines) in alphabetical order.
[[nodiscard]] const std::vector<std::string>& builtin_machine_names();
/// Returns the text of a built-in entry; empty if there is none of this name.
[[nodiscard]] std::string_view builtin_machine_text(std::string_view name);
/// Machine used if none is given.
inline constexpr std::string_view default_machine = "h200";

/// Parses an entry; reads no other file. `name` is the machine's, `file` appears in errors. Throws
/// core::InputError that lists every problem.
[[nodiscard]] Machine parse_machine(std::string_view text, const std::string& name,
                                    const std::string& file);
/// Returns a built-in entry. Throws std::out_of_range if there is none of this name.
[[nodiscard]] Machine builtin_machine(std::string_view name);

/// Returns an entry as text that parse_machine() reads back, as a calibration writes it.
[[nodiscard]] std::string format_text(const Machine& machine);

/// Speed of a GPU or core relative to another by data sheets: units times clock, and memory
/// bandwidth.
struct SheetRatio {
  double computing = 1, memory = 1;
};
[[nodiscard]] SheetRatio compare_sheets(const DataSheet& one, const DataSheet& other);
/// Returns compute terms divided by the computing ratio and memory terms by the memory ratio;
/// launches are unchanged.
[[nodiscard]] StepCoefficients scaled(StepCoefficients coefficients, const SheetRatio& ratio);

}  // namespace nfold::estimate
