// Gathering of device readings on rank 0 as plain rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/common/device_monitor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "core/host_name.hpp"

namespace nfold::common {
namespace {

constexpr double seconds_between_samples = 2;
constexpr double unknown_value = -1;

struct Row {
  std::array<char, 40> name{};
  std::int64_t part = 0, all = 0, used = 0, total = 0;  // used, total: memory [bytes], -1: missing
  double use = unknown_value, celsius = unknown_value;
  bool is_throttled = false, is_gpu = true;
};

std::string short_host_name() {
  const auto name = core::host_name();
  return name.substr(0, name.find('.'));
}

template <class Number>
std::optional<Number> to_optional(Number number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

}  // namespace

DeviceMonitor::DeviceMonitor(const comm::Communicator& communicator, const std::string& gpu_uuid,
                             std::string unit, std::int64_t units)
    : communicator_(communicator),
      gpu_uuid_(gpu_uuid),
      unit_(std::move(unit)),
      units_(units),
      name_(fmt::format("rank {}", communicator.rank())) {
  const bool several_nodes =
      communicator.any(communicator.node_position().size < communicator.size());
  if (several_nodes) name_ += " " + short_host_name();
}

void DeviceMonitor::gather(std::int64_t part) {
  const double now = seconds_();
  if (now >= next_sample_) {
    // Opened on first use: thousands of targets of a batch have no display and need no library.
    if (!device_) device_.emplace(gpu_uuid_);
    latest_ = device_->sample();
    next_sample_ = now + seconds_between_samples;
  }
  Row mine;
  std::copy_n(name_.begin(), std::min(name_.size(), mine.name.size() - 1), mine.name.begin());
  mine.part = part;
  mine.all = units_;
  mine.used = latest_.memory_used_bytes.value_or(-1);
  mine.total = latest_.memory_total_bytes.value_or(-1);
  mine.use = latest_.use.value_or(unknown_value);
  mine.celsius = latest_.temperature_celsius.value_or(unknown_value);
  mine.is_throttled = latest_.is_throttled;
  mine.is_gpu = !gpu_uuid_.empty();
  const auto rows = communicator_.gather(std::span<const Row>(&mine, 1));
  readings_.clear();
  for (const Row& row : rows) {
    readings_.push_back({row.name.data(), row.part, row.all, to_optional(row.used),
                         to_optional(row.total), to_optional(row.use), to_optional(row.celsius),
                         row.is_throttled, row.is_gpu, std::nullopt});
  }
}

}  // namespace nfold::common
