// Events of the Chrome trace format: "X", complete with a length, of a thread for each rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/chrome_trace.hpp"

#include <nlohmann/json.hpp>

namespace nfold::telemetry {
namespace {

using Json = nlohmann::ordered_json;
constexpr double microsecond = 1e3;  // [ns]

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
  for (const auto& span : spans) {
    const std::string phase = phase_name(span.phase);
    Json event{{"ph", "X"},
               {"name", phase},
               {"cat", phase},
               {"pid", 0},
               {"tid", rank},
               {"ts", static_cast<double>(span.begin_ns) / microsecond},
               {"dur", static_cast<double>(span.length_ns) / microsecond}};
    if (span.step >= 0) event["args"]["step"] = span.step;
    if (span.call > 0 && span.call <= calls.size()) event["args"]["call"] = calls[span.call - 1U];
    events_ += ",\n" + event.dump();
  }
}

std::string ChromeTrace::text() const {
  return "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n" + events_ + "\n]}\n";
}

}  // namespace nfold::telemetry
