// Columns: name, unit, least width, value.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/table.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/text_table.hpp"

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
  std::size_t width;
  const char* help;
};

// Order of values_of().
constexpr Column columns[] = {
    {"residues", "", 10, "size of the system"},
    {"ranks", "", 5, "MPI ranks, one a GPU"},
    {"steps/s", "median", 9, "median of the measurements"},
    {"spread", "", 6, "fastest less slowest measurement, over the median"},
    {"ns/day", "", 8, "simulated time a day, by the system's time step of 0.01 ps"},
    {"skin", "nm", 5, "what a neighbour list has beyond the cutoff; chosen by measuring"},
    {"entries", "a residue", 9, "list entries a residue; each pair stands in two lists"},
    {"rebuild", "steps", 7, "steps from one new list to the next, on average"},
    {"memory", "B/residue", 9, "bytes of the engine's arrays a residue, all ranks together"},
    {"ready", "s", 6, "seconds before the timing: building, minimising, warm-up"},
};
constexpr Column earlier_columns[] = {
    {"ratio", "", 6, "--against: speed over the earlier one"},
    {"efficiency", "", 10, "--against: that ratio over the ratio of ranks"},
};
constexpr std::size_t name_width = 18;

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

std::vector<Column> shown_columns(bool compares) {
  std::vector<Column> shown(std::begin(columns), std::end(columns));
  if (compares) {
    shown.insert(shown.end(), std::begin(earlier_columns), std::end(earlier_columns));
  }
  return shown;
}

core::TextTable empty_table(bool compares) {
  std::string alignment = "l";
  std::vector<std::size_t> widths{name_width};
  for (const auto& column : shown_columns(compares)) {
    alignment += 'r';
    widths.push_back(column.width);
  }
  widths.push_back(0);  // device
  return core::TextTable(alignment, widths);
}

}  // namespace

std::string table_header(const BenchContext& context, const EarlierSpeeds* earlier) {
  std::vector<std::string> names{"system"}, units{""};
  for (const auto& column : shown_columns(earlier != nullptr)) {
    names.emplace_back(column.name);
    units.emplace_back(column.unit);
  }
  names.emplace_back("device");
  units.emplace_back("");
  auto table = empty_table(earlier != nullptr);
  table.add(std::move(names));
  table.add(std::move(units));
  return fmt::format("nfold {}, {}, {}, {} precision{}{}\n{}", context.version, context.date,
                     context.host, context.precision, context.overrides.empty() ? "" : ", ",
                     context.overrides, table.text());
}

std::string table_line(const BenchContext& context, const BenchResult& result,
                       const EarlierSpeeds* earlier) {
  auto table = empty_table(earlier != nullptr);
  if (!result.reason.empty()) {
    table.add({result.system, grouped(result.residues), std::to_string(context.ranks),
               "failed: " + result.reason});
    return table.text();
  }
  std::vector<std::string> row{result.system};
  const auto append = [&row](const std::vector<std::string>& values) {
    row.insert(row.end(), values.begin(), values.end());
  };
  append(values_of(context, result));
  if (earlier != nullptr) append(earlier_values(context, result, *earlier));
  row.push_back(context.device);
  table.add(std::move(row));
  if (result.replicas > 0) {
    table.add({"", fmt::format(
                       "{} replicas: {:.1f} million replica-steps/s; {}", grouped(result.replicas),
                       1e-6 * result.measurement.median_steps_per_second() * result.replicas,
                       result.measurement.form)});
  }
  if (!result.measurement.parts.empty()) {
    std::string parts = "one alone:";
    for (const auto& part : result.measurement.parts) {
      parts += fmt::format(" {} {} us", part.name, speed(part.microseconds));
    }
    table.add({"", parts});
  }
  return table.text();
}

std::string left_out_lines(const std::vector<LeftOut>& left_out) {
  core::TextTable table;
  for (const auto& one : left_out) table.add({"left out: " + one.system, one.reason});
  return table.text() + (left_out.empty() ? "" : "(--only NAME measures it all the same)\n");
}

std::string system_list(const std::vector<BenchSystem>& systems) {
  core::TextTable table("lr");
  for (const auto& system : systems) {
    table.add({system.name, grouped(system.residues), system.description});
  }
  return table.text();
}

std::string column_help() {
  core::TextTable table;
  for (const auto& column : shown_columns(true)) table.add({column.name, column.help});
  return "Columns of the table:\n" + table.text() +
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
         "  at the end, temperature_kelvin shows whether the set temperature was reached; status "
         "is "
         "measured "
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
