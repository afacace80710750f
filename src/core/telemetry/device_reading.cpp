// Text and progress bars of devices.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/telemetry/device_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "core/telemetry/progress.hpp"

namespace nfold::telemetry {
namespace {

constexpr std::size_t most_on_line = 8, most_on_screen = 16;

std::string memory_words(const DeviceReading& reading) {
  if (!reading.memory_used_bytes) return {};
  const auto used = format_bytes(*reading.memory_used_bytes);
  return reading.memory_total_bytes ? used + "/" + format_bytes(*reading.memory_total_bytes) : used;
}

/// Returns all fields except name and bar.
std::vector<std::string> fields(const DeviceReading& reading, const std::string& unit) {
  std::vector<std::string> words;
  if (reading.of > 0) words.push_back(fmt::format("{}/{} {}", reading.part, reading.of, unit));
  if (reading.memory_used_bytes) words.push_back("memory " + memory_words(reading));
  if (reading.use) {
    words.push_back(
        fmt::format("{} use {:.0f} %", reading.is_gpu ? "GPU" : "CPU", 100 * *reading.use));
  }
  if (reading.temperature_celsius) {
    words.push_back(fmt::format("{:.0f} C", *reading.temperature_celsius));
  }
  if (reading.is_throttled) words.emplace_back("throttled");
  return words;
}

/// Returns "use 91 to 99 %" over the readings that have the value; empty if none has.
template <class Value>
std::string format_range(std::span<const DeviceReading> readings, const char* format, Value value) {
  std::optional<double> least, most;
  for (const auto& reading : readings) {
    const std::optional<double> one = value(reading);
    if (!one) continue;
    least = std::min(least.value_or(*one), *one);
    most = std::max(most.value_or(*one), *one);
  }
  return least ? fmt::format(fmt::runtime(format), *least, *most) : std::string();
}

}  // namespace

std::string bar(double fraction, std::size_t columns) {
  const auto full =
      static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(columns));
  std::string text(columns + 2, '.');
  text.front() = '[';
  text.back() = ']';
  std::fill_n(text.begin() + 1, full, '#');
  return text;
}

std::string describe_device(const DeviceReading& reading, const std::string& unit) {
  return fmt::format("{} {}", reading.name, fmt::join(fields(reading, unit), ", "));
}

std::string device_line(std::span<const DeviceReading> readings, const std::string& unit) {
  const bool is_long = readings.size() > most_on_line;
  const auto shown = readings.first(is_long ? most_on_line - 1 : readings.size());
  std::vector<std::string> words;
  for (const auto& reading : shown) words.push_back(describe_device(reading, unit));
  if (is_long) {
    const auto rest = readings.subspan(shown.size());
    std::string text = fmt::format("{} more", rest.size());
    text += format_range(rest, ", use {:.0f} to {:.0f} %", [](const auto& one) {
      return one.use ? std::optional(100 * *one.use) : std::nullopt;
    });
    text += format_range(rest, ", {:.0f} to {:.0f} C",
                         [](const auto& one) { return one.temperature_celsius; });
    words.push_back(text);
  }
  return fmt::format("{}", fmt::join(words, "; "));
}

std::vector<std::string> device_screen(std::span<const DeviceReading> readings,
                                       const std::string& unit, std::size_t width) {
  const bool is_long = readings.size() > most_on_screen;
  const auto shown = readings.first(is_long ? most_on_screen - 1 : readings.size());
  std::size_t longest_name = 0;
  for (const auto& reading : shown) longest_name = std::max(longest_name, reading.name.size());
  std::vector<std::string> lines;
  for (const auto& reading : shown) {
    std::string line = fmt::format("{:<{}}  ", reading.name, longest_name);
    constexpr std::size_t columns = 20;
    if (reading.progress) line += bar(*reading.progress, columns) + " ";
    line += fmt::format("{}", fmt::join(fields(reading, unit), "  "));
    lines.push_back(line.substr(0, width));
  }
  if (is_long) {
    lines.push_back(fmt::format("and {} more", readings.size() - shown.size()).substr(0, width));
  }
  return lines;
}

}  // namespace nfold::telemetry
