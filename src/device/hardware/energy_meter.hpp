// Energy used by a GPU since the construction of a meter, from NVML's counter.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "device/hardware/nvml.hpp"

namespace nfold::hardware {

/// Energy of the whole GPU, including other processes. Not thread-safe.
class EnergyMeter {
 public:
  /// Reads the GPU with this UUID ("GPU-..."); none if it is empty.
  explicit EnergyMeter(const std::string& gpu_uuid);

  /// Returns the energy since construction [J]; none without a GPU or a counter.
  [[nodiscard]] std::optional<double> joules() const;

 private:
  [[nodiscard]] std::optional<unsigned long long> millijoules() const;

  std::unique_ptr<nvml::Library> library_;
  nvml::Device device_ = nullptr;
  std::optional<unsigned long long> at_start_;
};

}  // namespace nfold::hardware
