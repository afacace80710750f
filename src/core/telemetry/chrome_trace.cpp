// Chrome trace with complete events ("X") on one thread per rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/telemetry/chrome_trace.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

namespace nfold::telemetry {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::int64_t microsecond = 1'000;  // [ns]

Json metadata(const char* what, int track, const char* key, const Json& value) {
  return {{"ph", "M"}, {"name", what}, {"pid", 0}, {"tid", track}, {"args", {{key, value}}}};
}

/// Writes an event up to its arguments. Not through the JSON library, since there may be tens of
/// thousands.
void begin_event(std::string& events, int track, std::string_view quoted_name,
                 std::string_view category, std::int64_t begin_ns, std::int64_t length_ns) {
  fmt::format_to(std::back_inserter(events),
                 ",\n{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":0,\"tid\":{},"
                 "\"ts\":{}.{:03},\"dur\":{}.{:03}",
                 quoted_name, category, track, begin_ns / microsecond, begin_ns % microsecond,
                 length_ns / microsecond, length_ns % microsecond);
}

}  // namespace

ChromeTrace::ChromeTrace(const std::string& program)
    : events_(metadata("process_name", 0, "name", program).dump()) {}

void ChromeTrace::begin_track(int track, const std::string& name, int place) {
  events_ += ",\n" + metadata("thread_name", track, "name", name).dump();
  events_ += ",\n" + metadata("thread_sort_index", track, "sort_index", place).dump();
}

void ChromeTrace::add_span(int track, const std::string& name, std::int64_t begin_ns,
                           std::int64_t length_ns) {
  begin_event(events_, track, Json(name).dump(), "target", begin_ns, length_ns);
  events_ += '}';
}

void ChromeTrace::add_spans(int track, std::span<const TracedSpan> spans,
                            const std::vector<std::string>& calls) {
  std::vector<std::string> quoted;
  quoted.reserve(calls.size());
  for (const auto& call : calls) quoted.push_back(Json(call).dump());
  auto out = std::back_inserter(events_);
  for (const auto& span : spans) {
    const char* const phase = phase_name(span.phase);
    begin_event(events_, track, fmt::format("\"{}\"", phase), phase, span.begin_ns, span.length_ns);
    if (span.step >= 0) {
      fmt::format_to(out, ",\"args\":{{\"step\":{}}}", span.step);
    } else if (span.call > 0 && span.call <= quoted.size()) {
      fmt::format_to(out, ",\"args\":{{\"call\":{}}}", quoted[span.call - 1U]);
    }
    events_ += '}';
  }
}

std::string ChromeTrace::text() const {
  return "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n" + events_ + "\n]}\n";
}

}  // namespace nfold::telemetry
