// Speed of a device for nfold on a documented scale.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "device/hardware/inventory.hpp"

namespace nfold::hardware {

// A score is proportional to speed: 100 is an NVIDIA H100 SXM, 25 computes a quarter as fast.
//
//   GPU: 100 x multiprocessors x GHz / (132 x 1.98)
//   CPU: 100 x cores x GHz / (960 x 3.7)
//
// GHz are of the highest clock. 960 cores of 3.7 GHz are as fast as one H200 in a large condensate
// (input/machines/h200.yaml). An unknown clock counts as that of the reference; an unknown number
// of multiprocessors or cores counts 0.

[[nodiscard]] double score_of(const Gpu& gpu);
[[nodiscard]] double score_of(const Cpu& cpu);

/// Part of the score that other programs leave. A GPU throttled by heat or by the hardware is rated
/// by its present clock in place of the highest.
[[nodiscard]] double available_score(const Gpu& gpu);
[[nodiscard]] double available_score(const Cpu& cpu);

}  // namespace nfold::hardware
