// How fast a GPU and a CPU core are, as measured: the table by which a target's time is predicted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/section_reader.hpp"

namespace nfold::plan {

/// One measurement.
struct SpeedPoint {
  double residues = 0;
  double replicas = 1;
  double steps_per_second = 0;  ///< of all replicas together
};

/// Of one way to compute; input/machines/README.md says what is done between and beyond points.
struct SpeedCurve {
  double most_steps_per_second = 0;  ///< of one replica, however small
  int group = 1;                     ///< replicas that take as long as one of them
  double repulsion_nm = 0;           ///< cutoff of what was measured; 0: makes no difference
  std::vector<SpeedPoint> points;    ///< never empty; by residues, then by replicas

  /// Of all replicas together; both numbers at least 1.
  [[nodiscard]] double steps_per_second(double residues, double replicas) const;
};

/// What a part of a target takes, above all beside its steps, on one GPU with its host or on one
/// core.
struct PartCosts {
  double step_factor = 1;      ///< of its steps over those of replicas that stay native
  double start_seconds = 0;    ///< reading, building, placing, checkpoints
  double table_pair_us = 0;    ///< of a pair of residues, where tables of pairs are written
  double analysis_us = 0;      ///< of a sample at a temperature, for each drawing of an error
  double look_us = 0;          ///< of a look at all energies, before an exchange or a sample
  double look_residue_us = 0;  ///< of one residue of a replica in it
  double look_pair_us = 0;     ///< of a pair of residues of a replica in it
  double look_chain_us = 0;    ///< of a pair of residues in it, of all replicas at once
  double count_us = 0;         ///< of one residue of a replica in a sample that counts contacts
};

/// One GPU, or one core.
struct SpaceSpeeds {
  std::string name;
  SpeedCurve resident;         ///< replicas together, many steps a launch
  SpeedCurve resident_chains;  ///< the same of disordered chains; of a GPU alone
  SpeedCurve go, condensate;   ///< the engine, one replica after another
  PartCosts part;
};

struct MachineTable {
  double terms_per_residue = 0;  ///< bonded terms and contacts of what was measured as go model
  SpaceSpeeds gpu, cpu_core;
};

/// From the section of one GPU or core; its name is not there, and `part` is left as it is where
/// the section has none. Problems stay in the reader.
void read_speeds(SectionReader& reader, const document::InputNode& node, const std::string& where,
                 bool is_gpu, SpaceSpeeds& speeds);
/// As the entry of a machine has them.
struct NamedCost {
  const char* key;
  double PartCosts::*value;
};
inline constexpr std::array<NamedCost, 9> part_costs{{
    {"step_factor", &PartCosts::step_factor},
    {"start_seconds", &PartCosts::start_seconds},
    {"table_pair_us", &PartCosts::table_pair_us},
    {"analysis_us", &PartCosts::analysis_us},
    {"look_us", &PartCosts::look_us},
    {"look_residue_us", &PartCosts::look_residue_us},
    {"look_pair_us", &PartCosts::look_pair_us},
    {"look_chain_us", &PartCosts::look_chain_us},
    {"count_us", &PartCosts::count_us},
}};
/// Of a device that is so many times as fast.
void scale(SpaceSpeeds& speeds, double factor);

}  // namespace nfold::plan
