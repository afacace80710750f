// Events of the Chrome trace format: "X", complete with a length, of a thread for each rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/chrome_trace.hpp"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace nfold::telemetry {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::int64_t microsecond = 1'000;  // [ns]

Json metadata(const char* what, int rank, const char* key, const Json& value) {
  return {{"ph", "M"}, {"name", what}, {"pid", 0}, {"tid", rank}, {"args", {{key, value}}}};
}

}  // namespace

ChromeTrace::ChromeTrace(const std::string& program)
    : events_(metadata("process_name", 0, "name", program).dump()) {}

void ChromeTrace::add_track(int rank, const std::string& name, std::span<const TracedSpan> spans,
                            const std::vector<std::string>& calls) {
  events_ += ",\n" + metadata("thread_name", rank, "name", name).dump();
  events_ += ",\n" + metadata("thread_sort_index", rank, "sort_index", rank).dump();
  std::vector<std::string> quoted;
  quoted.reserve(calls.size());
  for (const auto& call : calls) quoted.push_back(Json(call).dump());
  // Not as objects of the library: there may be tens of thousands, of numbers and plain names.
  auto out = std::back_inserter(events_);
  for (const auto& span : spans) {
    fmt::format_to(out,
                   ",\n{{\"ph\":\"X\",\"name\":\"{0}\",\"cat\":\"{0}\",\"pid\":0,\"tid\":{1},"
                   "\"ts\":{2}.{3:03},\"dur\":{4}.{5:03}",
                   phase_name(span.phase), rank, span.begin_ns / microsecond,
                   span.begin_ns % microsecond, span.length_ns / microsecond,
                   span.length_ns % microsecond);
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
