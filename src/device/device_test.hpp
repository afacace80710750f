// A test of this rank's device after a failure whose cause is not known.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::device {

/// Runs a small kernel and compares its result. False where the device refuses or errs: CUDA
/// returns a fault of the device from every later call. Processors always pass.
[[nodiscard]] bool device_computes();

}  // namespace nfold::device
