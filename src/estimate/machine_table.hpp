// Measured speeds of a GPU and of a CPU core, from which a target's time is estimated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/document/section_reader.hpp"

namespace nfold::estimate {

/// One measurement.
struct SpeedPoint {
  double residues = 0;
  double replicas = 1;
  double steps_per_second = 0;  ///< sum over replicas
};

/// Speed curve of one execution path. input/machines/README.md describes inter- and extrapolation.
struct SpeedCurve {
  double most_steps_per_second = 0;  ///< limit of one replica of any size
  int group = 1;                     ///< replicas that take as long as one
  double repulsion_nm = 0;           ///< cutoff of the measured system; 0: no influence
  std::vector<SpeedPoint> points;    ///< never empty; sorted by residues, then by replicas

  /// Returns the sum over replicas; both arguments are at least 1.
  [[nodiscard]] double steps_per_second(double residues, double replicas) const;
};

/// Costs of a part of a target, mainly overhead, on one GPU with its host or on one core.
struct PartCosts {
  double step_factor = 1;      ///< step time relative to that of replicas that stay native
  double start_seconds = 0;    ///< reading, building, placing, checkpoints
  double table_pair_us = 0;    ///< per pair of residues, if tables of pairs are written
  double analysis_us = 0;      ///< per sample at a temperature and resampling
  double look_us = 0;          ///< per gather of all energies, before an exchange or a sample
  double look_residue_us = 0;  ///< per residue of a replica in a gather
  double look_pair_us = 0;     ///< per pair of residues of a replica in a gather
  double look_chain_us = 0;    ///< per pair of residues in a gather, for all replicas at once
  double count_us = 0;         ///< per residue of a replica in a sample that counts contacts
};

/// Speeds of one GPU, or of one core.
struct BackendSpeeds {
  std::string name;
  SpeedCurve resident;         ///< resident replicas, many steps per launch
  SpeedCurve resident_chains;  ///< resident replicas of disordered chains
  SpeedCurve go, condensate;   ///< engine, one replica after another
  PartCosts part;
};

/// Execution path of a target's steps.
enum class StepCurve : std::uint8_t { resident, resident_chains, go, condensate };
/// Curve of a path with its key in a machine's entry.
struct NamedCurve {
  const char* key;
  SpeedCurve BackendSpeeds::*curve;
};
inline constexpr std::array<NamedCurve, 4> speed_curves{{
    // in the order of StepCurve
    {"resident", &BackendSpeeds::resident},
    {"resident_chains", &BackendSpeeds::resident_chains},
    {"go", &BackendSpeeds::go},
    {"condensate", &BackendSpeeds::condensate},
}};
[[nodiscard]] inline const SpeedCurve& curve_of(const BackendSpeeds& speeds, StepCurve path) {
  return speeds.*speed_curves.at(static_cast<std::size_t>(path)).curve;
}

struct MachineTable {
  double terms_per_residue = 0;  ///< bonded terms and contacts of the measured go model
  BackendSpeeds gpu, cpu_core;
};

/// Keys of part costs in a machine's entry.
[[nodiscard]] std::span<const document::KeyOf<PartCosts>> part_keys();
/// Reads the section of one GPU or core, all but the name. `part` is unchanged if the section has
/// none. Problems are collected in the reader.
void read_speeds(document::SectionReader& reader, const document::InputNode& section,
                 const std::string& path, BackendSpeeds& speeds);
/// Returns the section as read_speeds() reads it back.
[[nodiscard]] std::string format_text(const BackendSpeeds& speeds);
/// Scales the speeds to a device that is `factor` times as fast.
void scale(BackendSpeeds& speeds, double factor);

}  // namespace nfold::estimate
