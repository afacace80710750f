// Columns of fixed width: name, unit, value.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace nfold::bench {
namespace {

/// Returns "1,234,567".
std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (auto at = static_cast<std::int64_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

/// Returns three digits, or all before the point.
std::string speed(double value) {
  if (value >= 100) return grouped(std::llround(value));
  return fmt::format("{:.{}f}", value, value >= 10 ? 1 : 2);
}

struct Column {
  const char* name;
  const char* unit;
  int width;
  const char* help;
};

// Order of values_of().
constexpr Column columns[] = {
    {"residues", "", 11, "size of the system"},
    {"ranks", "", 6, "MPI ranks, one a GPU"},
    {"steps/s", "median", 10, "median of the measurements"},
    {"spread", "", 7, "fastest less slowest measurement, over the median"},
    {"ns/day", "", 9, "simulated time a day, by the system's time step of 0.01 ps"},
    {"skin", "nm", 6, "what a neighbour list has beyond the cutoff; chosen by measuring"},
    {"entries", "a residue", 10, "list entries a residue; each pair stands in two lists"},
    {"rebuild", "steps", 8, "steps from one new list to the next, on average"},
    {"memory", "B/residue", 10, "bytes of the engine's arrays a residue, all ranks together"},
    {"ready", "s", 7, "seconds before the timing: building, minimising, warm-up"},
};
constexpr Column earlier_columns[] = {
    {"ratio", "", 7, "--against: speed over the earlier one"},
    {"efficiency", "", 11, "--against: that ratio over the ratio of ranks"},
};
constexpr int name_width = 18;

std::vector<std::string> values_of(const BenchContext& context, const BenchResult& result) {
  constexpr double ns_per_day_of_ps_per_second = 86.4;
  const auto& m = result.measurement;
  const double median = m.median_steps_per_second();
  const double spread = (m.fastest_steps_per_second() - m.slowest_steps_per_second()) / median;
  std::int64_t steps = 0, rebuilds = 0;
  for (const auto& block : m.blocks) {
    steps += block.steps;
    rebuilds += block.rebuilds;
  }
  const auto residues = static_cast<double>(result.residues);
  return {grouped(result.residues),
          std::to_string(context.ranks),
          speed(median),
          fmt::format("{:.1f} %", 100 * spread),
          speed(median * result.time_step_ps * ns_per_day_of_ps_per_second),
          fmt::format("{:.3f}", m.skin_nm),
          fmt::format("{:.1f}", static_cast<double>(m.pair_entries) / residues),
          rebuilds > 0 ? speed(static_cast<double>(steps) / static_cast<double>(rebuilds))
                       : fmt::format("> {}", steps),
          speed(static_cast<double>(m.memory_bytes) / residues),
          fmt::format("{:.1f}", result.build_seconds + result.warm_up_seconds)};
}

std::vector<std::string> earlier_values(const BenchContext& context, const BenchResult& result,
                                        const EarlierSpeeds& earlier) {
  const auto before = earlier.find(result.system, context.precision);
  if (!before) return {"-", "-"};
  const double ratio = result.measurement.median_steps_per_second() / before->steps_per_second;
  const double efficiency = ratio * before->ranks / context.ranks;
  return {fmt::format("{:.2f}", ratio), fmt::format("{:.0f} %", 100 * efficiency)};
}

template <class Columns, class Text>
std::string cells(const Columns& of, Text text) {
  std::string line;
  std::size_t n = 0;
  for (const Column& column : of) line += fmt::format(" {:>{}}", text(column, n++), column.width);
  return line;
}

}  // namespace

std::string table_header(const BenchContext& context, const EarlierSpeeds* earlier) {
  const auto name = [](const Column& column, std::size_t) { return column.name; };
  const auto unit = [](const Column& column, std::size_t) { return column.unit; };
  std::string names = fmt::format("{:<{}}", "system", name_width) + cells(columns, name);
  std::string units = fmt::format("{:<{}}", "", name_width) + cells(columns, unit);
  if (earlier != nullptr) {
    names += cells(earlier_columns, name);
    units += cells(earlier_columns, unit);
  }
  return fmt::format("nfold {}, {}, {}, {} precision{}{}\n{}  device\n{}\n", context.version,
                     context.date, context.host, context.precision,
                     context.overrides.empty() ? "" : ", ", context.overrides, names, units);
}

std::string table_line(const BenchContext& context, const BenchResult& result,
                       const EarlierSpeeds* earlier) {
  const std::string name = fmt::format("{:<{}}", result.system, name_width);
  if (!result.reason.empty()) {
    return fmt::format("{} {:>11} {:>6}  failed: {}\n", name, grouped(result.residues),
                       context.ranks, result.reason);
  }
  const auto values = values_of(context, result);
  std::string line = name + cells(columns, [&](const Column&, std::size_t n) { return values[n]; });
  if (earlier != nullptr) {
    const auto compared = earlier_values(context, result, *earlier);
    line += cells(earlier_columns, [&](const Column&, std::size_t n) { return compared[n]; });
  }
  line += "  " + context.device + "\n";
  if (result.replicas > 0) {
    line += fmt::format("{:<{}} {} replicas: {:.1f} million replica-steps/s; {}\n", "", name_width,
                        grouped(result.replicas),
                        1e-6 * result.measurement.median_steps_per_second() * result.replicas,
                        result.measurement.form);
  }
  if (!result.measurement.parts.empty()) {
    line += std::string(name_width, ' ') + " one alone:";
    for (const auto& part : result.measurement.parts) {
      line += fmt::format(" {} {} us", part.name, speed(part.microseconds));
    }
    line += '\n';
  }
  return line;
}

std::string left_out_lines(const std::vector<LeftOut>& left_out) {
  std::string text;
  for (const auto& one : left_out) {
    text += fmt::format("left out: {:<{}} {}\n", one.system, name_width, one.reason);
  }
  if (!left_out.empty()) text += "(--only NAME measures it all the same)\n";
  return text;
}

std::string system_list(const std::vector<BenchSystem>& systems) {
  std::string text;
  for (const auto& system : systems) {
    text += fmt::format("{:<{}} {:>11}  {}\n", system.name, name_width, grouped(system.residues),
                        system.description);
  }
  return text;
}

std::string column_help() {
  std::string text = "Columns of the table:\n";
  const auto add = [&text](const Column& column) {
    text += fmt::format("  {:<12} {}\n", column.name, column.help);
  };
  for (const auto& column : columns) add(column);
  for (const auto& column : earlier_columns) add(column);
  return text +
         "Below a system: microseconds of each part of a step (forces, new lists, integration and, "
         "between\n"
         "GPUs that reach each other's memory, an exchange of border residues), repeated alone "
         "after "
         "the\n"
         "measurements; none on several ranks otherwise. Forces with float sums, which have other\n"
         "bits each time, tell what sums that are the same on any GPUs cost; no step takes them.\n"
         "Files of --json and --csv have a row for each measurement, with the unit in a column's "
         "name:\n"
         "  repeat counts them, steps and seconds are its own; skin, list entries and memory are "
         "those\n"
         "  at the end, temperature_kelvin tells whether the bath was reached; status is measured "
         "or\n"
         "  failed, with the reason beside it; forces_us, lists_us, integrate_us, exchange_us and\n"
         "  forces_with_float_sums_us are those of the\n"
         "  parts, the same in each row of a system, empty (null in JSON) where there is none;\n"
         "  peer_memory_trial_us and its like are one exchange of border residues as each "
         "transport was\n"
         "  measured at the start (geometric mean of two sizes), which only happens on several "
         "GPUs.\n";
}

}  // namespace nfold::bench
