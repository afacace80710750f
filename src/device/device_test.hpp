// Test of this rank's device after a failure of unknown cause.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::device {

/// Runs a small kernel and compares its result. False if the device fails or returns a wrong
/// result: CUDA repeats a device fault in every later call. CPUs always pass.
[[nodiscard]] bool device_computes();

}  // namespace nfold::device
