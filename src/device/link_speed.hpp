// Measured speed of device memory and links, for `nfold devices`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

namespace nfold::device {

/// Returns the speed of a copy within device memory, counting bytes read and written. On a CPU that
/// of all threads together.
[[nodiscard]] double measured_memory_bytes_per_second();

/// Returns the speed of copies from pinned host memory to the GPU; none on a CPU.
[[nodiscard]] std::optional<double> measured_host_link_bytes_per_second();
/// Returns the time of 8 bytes to the GPU and back; none on a CPU.
[[nodiscard]] std::optional<double> measured_host_latency_seconds();

/// Speed from one visible GPU to another, by device number.
struct PeerSpeed {
  int first = 0, second = 0;
  double bytes_per_second = 0;
  double latency_seconds = 0;  ///< 8 bytes to the other GPU and back
};
/// Measures all pairs of visible GPUs; none in a build for CPUs.
[[nodiscard]] std::vector<PeerSpeed> measured_peer_speeds();

}  // namespace nfold::device
