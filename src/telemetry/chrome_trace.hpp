// A timeline in the Chrome trace format, which Perfetto and chrome://tracing open.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "telemetry/thinned_spans.hpp"

namespace nfold::telemetry {

/// Text that grows span by span, a line each.
class ChromeTrace {
 public:
  /// program: of all tracks, as "nfold NAME".
  explicit ChromeTrace(const std::string& program);

  /// A rank's. calls: names of its waits, by TracedSpan::call - 1.
  void add_track(int rank, const std::string& name, std::span<const TracedSpan> spans,
                 const std::vector<std::string>& calls);
  /// The whole file.
  [[nodiscard]] std::string text() const;

 private:
  std::string events_;
};

}  // namespace nfold::telemetry
