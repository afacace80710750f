// How fast a GPU and a CPU core are, as measured: the table by which a target's time is predicted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

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
  std::vector<SpeedPoint> points;    ///< never empty; by residues, then by replicas

  /// Of all replicas together; both numbers at least 1.
  [[nodiscard]] double steps_per_second(double residues, double replicas) const;
};

/// One GPU, or one core.
struct SpaceSpeeds {
  std::string name;
  SpeedCurve resident;         ///< replicas together, many steps a launch
  SpeedCurve resident_chains;  ///< the same of disordered chains; of a GPU alone
  SpeedCurve go, condensate;   ///< the engine, one replica after another
};

struct MachineTable {
  double terms_per_residue = 0;  ///< bonded terms and contacts of what was measured as go model
  SpaceSpeeds gpu, cpu_core;
};

/// From the section of one GPU or core; its name is not there. Problems stay in the reader.
[[nodiscard]] SpaceSpeeds read_speeds(SectionReader& reader, const document::InputNode& node,
                                      const std::string& where, bool is_gpu);
/// Of a device that is so many times as fast.
void scale(SpaceSpeeds& speeds, double factor);

}  // namespace nfold::plan
