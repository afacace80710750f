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

  /// place: from above.
  void begin_track(int track, const std::string& name, int place);
  /// calls: names of waits, by TracedSpan::call - 1.
  void add_spans(int track, std::span<const TracedSpan> spans,
                 const std::vector<std::string>& calls);
  /// A span of a name of its own. It comes before those that it holds.
  void add_span(int track, const std::string& name, std::int64_t begin_ns, std::int64_t length_ns);
  /// A rank's.
  void add_track(int rank, const std::string& name, std::span<const TracedSpan> spans,
                 const std::vector<std::string>& calls) {
    begin_track(rank, name, rank);
    add_spans(rank, spans, calls);
  }
  /// The whole file.
  [[nodiscard]] std::string text() const;

 private:
  std::string events_;
};

}  // namespace nfold::telemetry
