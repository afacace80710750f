// What a GPU has used of energy since a moment, by its own counter.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "hardware/nvml.hpp"

namespace nfold::hardware {

/// Of all that the GPU did, for other processes also. Not for several threads at once.
class EnergyMeter {
 public:
  /// Of the GPU with this UUID ("GPU-..."); of nothing where it is empty.
  explicit EnergyMeter(const std::string& gpu_uuid);

  /// Since the meter was made; none where there is no GPU or it has no counter.
  [[nodiscard]] std::optional<double> joules() const;

 private:
  [[nodiscard]] std::optional<unsigned long long> millijoules() const;

  std::unique_ptr<nvml::Library> library_;
  nvml::Device device_ = nullptr;
  std::optional<unsigned long long> at_start_;
};

}  // namespace nfold::hardware
