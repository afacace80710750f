// A machine: what its nodes hold, what lies between them, what an hour costs, how fast it is.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/machine_table.hpp"
#include "plan/step_model.hpp"

namespace nfold::plan {

/// What a maker says of a GPU or of a processor's core.
struct DataSheet {
  std::string name;
  double memory_gb = 0;  ///< 10^9 bytes, of a GPU
  double memory_gb_per_s = 0;
  double units = 1;  ///< multiprocessors of a GPU; floats in a vector of a core
  double clock_mhz = 0;
};

struct Machine {
  std::string name;      ///< of a built-in one, or of the file
  std::string based_on;  ///< whose coefficients it has: a name
  std::string description;
  /// Where the speeds come from: "measured 2026-11-25 by nfold bench --calibrate", "scaled from
  /// ...".
  std::string speeds_are;
  /// By data sheets, not measured: what a step takes; the curves of replicas and batches.
  bool steps_are_scaled = false, replicas_are_scaled = false;
  int measured_ranks = 2;  ///< on which one system was measured, at most; more are extrapolated

  int gpus_per_node = 0, cores_per_node = 1;
  double host_memory_gb = 0;
  int most_nodes = 1;
  double most_hours = 24;  ///< that a job may last
  NetworkSpeed network;
  double gpu_hour = 0, core_hour = 0;  ///< prices; a GPU's has its share of the node in it
  std::string currency = "USD";

  std::optional<DataSheet> gpu;
  DataSheet core;
  MachineTable speeds;                   ///< for batches and replicas
  StepCoefficients gpu_step, core_step;  ///< gpu_step: of another machine where there is no GPU

  [[nodiscard]] bool has_gpus() const { return gpus_per_node > 0 && gpu.has_value(); }
  [[nodiscard]] const StepCoefficients& step(bool on_gpu) const {
    return on_gpu ? gpu_step : core_step;
  }
  [[nodiscard]] StepCoefficients& step(bool on_gpu) { return on_gpu ? gpu_step : core_step; }
  /// Standard deviation of ln(real / predicted) of a step, or of replicas by their curves.
  [[nodiscard]] double spread(bool on_gpu, bool of_replicas) const;
};

/// Names of the entries that are built in, in alphabetical order: those of input/machines.
[[nodiscard]] const std::vector<std::string>& builtin_machine_names();
/// An empty text: there is none of this name.
[[nodiscard]] std::string_view builtin_machine_text(std::string_view name);
/// Whose speeds are taken where nothing else is said.
inline constexpr std::string_view default_machine = "h200";

/// Reads no file but the text; `name` is the machine's, `file` stands in errors.
/// document::InputError with all that is wrong.
[[nodiscard]] Machine parse_machine(std::string_view text, const std::string& name,
                                    const std::string& file);
/// std::out_of_range where there is none.
[[nodiscard]] Machine builtin_machine(std::string_view name);

/// The text of an entry that parse_machine() reads back, as a calibration writes it.
[[nodiscard]] std::string text_of(const Machine& machine);

/// How fast a GPU or core is by its data sheet over another: units times clock; and its memory.
struct SheetRatio {
  double computing = 1, memory = 1;
};
[[nodiscard]] SheetRatio ratio_of(const DataSheet& one, const DataSheet& other);
/// What needs computing takes the longer the fewer units there are; launches take as long.
[[nodiscard]] StepCoefficients scaled(StepCoefficients coefficients, const SheetRatio& ratio);

}  // namespace nfold::plan
