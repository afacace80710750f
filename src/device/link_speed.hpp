// How fast memory of the compute space is, and what leads to it: measured, for `nfold devices`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

namespace nfold::device {

/// Of a copy within the device's memory, which counts twice: read and written. On a CPU of all
/// threads together.
[[nodiscard]] double measured_memory_bytes_per_second();

/// From pinned memory of the host to the GPU; nothing on a CPU, which has no such link.
[[nodiscard]] std::optional<double> measured_host_link_bytes_per_second();
/// 8 bytes to the GPU and back; nothing on a CPU.
[[nodiscard]] std::optional<double> measured_host_latency_seconds();

/// From one GPU that this process sees to another, by their places among these.
struct PeerSpeed {
  int first = 0, second = 0;
  double bytes_per_second = 0;
  double latency_seconds = 0;  ///< of 8 bytes to the other one and back
};
/// Of all pairs; none in a build for CPUs.
[[nodiscard]] std::vector<PeerSpeed> measured_peer_speeds();

}  // namespace nfold::device
