// Text of the progress display.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/telemetry/progress.hpp"

namespace nfold::telemetry {

namespace {

constexpr double seconds_per_day = 86400;
constexpr double ns_per_ps = 1e-3;

double fraction_done(const ProgressSample& sample) {
  if (sample.total_steps <= 0) return 1;
  const double done = static_cast<double>(sample.step) / static_cast<double>(sample.total_steps);
  return std::clamp(done, 0.0, 1.0);
}

double seconds_left(const ProgressSample& sample) {
  const auto left = std::max<std::int64_t>(0, sample.total_steps - sample.step);
  return static_cast<double>(left) * sample.seconds_per_step;
}

std::vector<std::string> speed_fields(const ProgressSample& sample) {
  if (sample.seconds_per_step <= 0) return {};
  const double steps_per_second = 1 / sample.seconds_per_step;
  const double ns_per_day = steps_per_second * sample.time_step_ps * ns_per_ps * seconds_per_day;
  return {format_count(steps_per_second) + " steps/s", format_count(ns_per_day) + " ns/day",
          "ETA " + format_duration(seconds_left(sample))};
}

/// Returns the fields in order of importance: the last ones are dropped if the width is short.
std::vector<std::string> state_fields(const ProgressSample& sample) {
  std::vector<std::string> fields;
  if (sample.native_fraction) fields.push_back(fmt::format("Q {:.3f}", *sample.native_fraction));
  if (sample.temperature_kelvin)
    fields.push_back(fmt::format("T {:.1f} K", *sample.temperature_kelvin));
  if (sample.potential_kj_mol)
    fields.push_back(fmt::format("U {:.1f} kJ/mol", *sample.potential_kj_mol));
  if (sample.rmsd_nm) fields.push_back(fmt::format("RMSD {:.2f} nm", *sample.rmsd_nm));
  if (sample.memory_bytes) fields.push_back("memory " + format_bytes(*sample.memory_bytes));
  if (sample.balance) fields.push_back(fmt::format("balance {:.2f}", *sample.balance));
  return fields;
}

/// Returns the leading fields that fit into `width` columns, two spaces apart.
std::string fitting(const std::vector<std::string>& fields, std::size_t width) {
  std::string text;
  for (const auto& field : fields) {
    const std::size_t gap = text.empty() ? 0 : 2;
    if (text.size() + gap + field.size() > width) break;
    text += std::string(gap, ' ') + field;
  }
  return text;
}

}  // namespace

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0 || seconds > 1e15) return "-";
  const auto total = static_cast<std::int64_t>(std::llround(seconds));
  const auto days = total / 86400, hours = total / 3600 % 24, minutes = total / 60 % 60;
  if (days > 0) return fmt::format("{}d {:02}:{:02}:{:02}", days, hours, minutes, total % 60);
  return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
}

std::string format_bytes(std::int64_t bytes) {
  constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.5 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return fmt::format("{} B", bytes);
  // Avoids exponents: 1,012 MiB, not 1.01e+03 MiB.
  return value < 999.5 ? fmt::format("{:.3g} {}", value, units[unit])
                       : fmt::format("{:.0f} {}", value, units[unit]);
}

std::string format_count(double value) {
  if (!std::isfinite(value)) return "-";
  constexpr std::array suffixes{"", "k", "M", "G"};
  std::size_t suffix = 0;
  while (std::abs(value) >= 999.5 && suffix + 1 < suffixes.size()) {
    value /= 1000;
    ++suffix;
  }
  if (std::abs(value) >= 999.5) return fmt::format("{:.0f}{}", value, suffixes[suffix]);
  return fmt::format("{:.3g}{}", value, suffixes[suffix]);
}

std::string progress_line(const ProgressSample& sample) {
  std::string line = fmt::format("step {} of {} ({:.1f} %)", sample.step, sample.total_steps,
                                 100 * fraction_done(sample));
  for (const auto& field : speed_fields(sample)) line += ", " + field;
  for (const auto& field : state_fields(sample)) line += ", " + field;
  if (!sample.devices.empty()) line += "; " + device_line(sample.devices, sample.unit_of_work);
  return line;
}

std::vector<std::string> log_lines(const ProgressSample& sample) {
  auto alone = sample;
  alone.devices.clear();
  std::vector<std::string> lines{progress_line(alone)};
  for (const auto& reading : sample.devices) {
    lines.push_back(describe_device(reading, sample.unit_of_work));
  }
  return lines;
}

std::string progress_screen(const ProgressSample& sample, int width) {
  // A terminal that is full to its last column may wrap: stay one short of it.
  const auto usable = static_cast<std::size_t>(std::max(10, width - 1));
  const std::string percent = fmt::format("{:5.1f} %", 100 * fraction_done(sample));
  const std::string speed = fitting(speed_fields(sample), usable - percent.size() - 2);
  std::string first = percent;
  if (!speed.empty()) first += "  " + speed;
  // The bar takes the remaining columns, at most 40; a narrow terminal has none.
  const std::size_t spare = usable - first.size();
  if (spare >= 13)
    first.insert(0, bar(fraction_done(sample), std::min<std::size_t>(40, spare - 3)) + " ");
  const std::string second = fitting(state_fields(sample), usable);
  std::string screen = second.empty() ? first : first + "\n" + second;
  auto devices = sample.devices;  // all of them make the same steps
  for (auto& device : devices) device.progress = fraction_done(sample);
  for (const auto& line : device_screen(devices, sample.unit_of_work, usable)) {
    screen += "\n" + line;
  }
  return screen;
}

}  // namespace nfold::telemetry
