// Spans of a whole run in bounded memory: a longer run keeps a smaller fraction of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/telemetry/phases.hpp"

namespace nfold::telemetry {

/// Span of time of one rank; plain numbers, which can be sent.
struct TracedSpan {
  std::int64_t begin_ns = 0, length_ns = 0;  ///< relative to the common origin of all ranks
  std::int64_t step = -1;                    ///< step of the system; -1: unknown
  Phase phase = Phase::other;
  std::uint8_t call = 0;  ///< index + 1 of a wait's name; 0: none
};

/// Units of spans are kept or dropped together. With many units every second, fourth, ... one is
/// kept, so that the whole run is covered evenly.
class ThinnedSpans {
 public:
  explicit ThinnedSpans(std::size_t capacity) : capacity_(std::max<std::size_t>(1, capacity)) {}

  /// Adds a unit. Spans of a unit beyond the capacity are dropped.
  void add(std::span<const TracedSpan> unit) {
    const auto number = units_++;
    if (number % stride_ != 0) return;
    for (const auto& one : unit.first(std::min(unit.size(), capacity_))) {
      kept_.push_back({number, one});
    }
    while (kept_.size() > capacity_) {
      stride_ *= 2;
      std::erase_if(kept_, [this](const Kept& one) { return one.unit % stride_ != 0; });
    }
  }
  /// Returns the stride of the units that are kept.
  [[nodiscard]] std::uint64_t stride() const { return stride_; }
  void append_to(std::vector<TracedSpan>& all) const {
    for (const auto& one : kept_) all.push_back(one.span);
  }

 private:
  struct Kept {
    std::uint64_t unit;
    TracedSpan span;
  };
  std::size_t capacity_;
  std::uint64_t units_ = 0, stride_ = 1;
  std::vector<Kept> kept_;
};

}  // namespace nfold::telemetry
