// Energy from two readings of NVML's counter.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/hardware/energy_meter.hpp"

namespace nfold::hardware {

using nvml::query;

EnergyMeter::EnergyMeter(const std::string& gpu_uuid) {
  if (gpu_uuid.empty()) return;
  library_ = std::make_unique<nvml::Library>();
  if (!library_->failure().empty()) return;
  device_ =
      query<nvml::Device>(library_->functions().handle_by_uuid, gpu_uuid.c_str()).value_or(nullptr);
  at_start_ = millijoules();
}

std::optional<unsigned long long> EnergyMeter::millijoules() const {
  if (device_ == nullptr) return std::nullopt;
  return query<unsigned long long>(library_->functions().total_energy, device_);
}

std::optional<double> EnergyMeter::joules() const {
  const auto now = millijoules();
  // The counter restarts from 0 if the driver was reloaded.
  if (!at_start_ || !now || *now < *at_start_) return std::nullopt;
  return 1e-3 * static_cast<double>(*now - *at_start_);
}

}  // namespace nfold::hardware
