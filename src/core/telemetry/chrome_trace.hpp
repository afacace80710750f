// Timeline in the Chrome trace format, for Perfetto and chrome://tracing.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/telemetry/thinned_spans.hpp"

namespace nfold::telemetry {

/// Text that grows by one line per span.
class ChromeTrace {
 public:
  /// program: title of all tracks, such as "nfold NAME".
  explicit ChromeTrace(const std::string& program);

  /// place: position from the top.
  void begin_track(int track, const std::string& name, int place);
  /// calls: names of waits; TracedSpan::call is the index + 1.
  void add_spans(int track, std::span<const TracedSpan> spans,
                 const std::vector<std::string>& calls);
  /// Adds a span with its own name. It must precede the spans within it.
  void add_span(int track, const std::string& name, std::int64_t begin_ns, std::int64_t length_ns);
  /// Adds the track of a rank.
  void add_track(int rank, const std::string& name, std::span<const TracedSpan> spans,
                 const std::vector<std::string>& calls) {
    begin_track(rank, name, rank);
    add_spans(rank, spans, calls);
  }
  /// Returns the whole file.
  [[nodiscard]] std::string text() const;

 private:
  std::string events_;
};

}  // namespace nfold::telemetry
