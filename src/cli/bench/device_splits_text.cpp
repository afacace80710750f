// Splits as a table and as JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/bench/device_splits.hpp"
#include "core/telemetry/progress.hpp"
#include "core/text_table.hpp"

namespace nfold::bench {
namespace {

std::string_view plural_of(SplitUnit unit) {
  constexpr std::array<std::string_view, 3> names{"replicas", "residues", "targets"};
  return names.at(static_cast<std::size_t>(unit));
}
std::string singular_of(SplitUnit unit) {
  const auto plural = plural_of(unit);
  return std::string(plural.substr(0, plural.size() - 1));
}

/// Unit of times: seconds, or the time of equal shares.
struct TimeScale {
  double unit = 1;
  std::string name;
  [[nodiscard]] std::string text(double time) const {
    const double number = time / unit;
    return name.empty() ? fmt::format("{:.2f}", number) : fmt::format("{:.3g} {}", number, name);
  }
};

double time_of_equal_shares(const DeviceSplits& splits) {
  return splits.strategies.front().split.value().seconds_of_slowest();
}

TimeScale scale_of(const DeviceSplits& splits) {
  const double equal = time_of_equal_shares(splits);
  if (!splits.has_seconds()) return {equal, ""};
  if (equal >= 1) return {1, "s"};
  return equal >= 1e-3 ? TimeScale{1e-3, "ms"} : TimeScale{1e-6, "us"};
}

/// Returns the name of a device, with its host if there are several.
std::string name_of(const SharingDevice& device, const DeviceSplits& splits) {
  const bool is_single_host =
      std::all_of(splits.devices.begin(), splits.devices.end(),
                  [&](const auto& other) { return other.host == device.host; });
  return is_single_host ? device.name : device.host + " " + device.name;
}

/// Returns the names of devices without a measured speed.
std::vector<std::string> not_measured(const DeviceSplits& splits) {
  std::vector<std::string> names;
  for (const auto& device : splits.devices) {
    if (!device.residue_steps_per_second) names.push_back(name_of(device, splits));
  }
  return names;
}

std::string speed_note(const DeviceSplits& splits) {
  const auto without = not_measured(splits);
  if (without.empty()) return {};
  if (without.size() == splits.devices.size()) {
    return "no speed is known from --measure, so that measured-speed, memory-aware and "
           "lowest-latency fall back on scores";
  }
  return fmt::format("not measured: {}; scores stand in, scaled to the speeds of the others",
                     fmt::join(without, ", "));
}

std::vector<std::string> notes_of(const DeviceSplits& splits) {
  const auto& request = splits.request;
  const auto unit = singular_of(request.unit);
  std::vector<std::string> notes;
  if (splits.has_seconds()) {
    notes.emplace_back("times are of a step, in the condensate that --measure computes");
    if (request.unit != SplitUnit::residues) {
      notes.back() += fmt::format(", {} residues to a {}", request.residues_per_unit, unit);
    }
  } else {
    notes.emplace_back(
        "times are relative: 1.00 is what the slowest device takes for its equal share");
    if (not_measured(splits).size() < splits.devices.size()) {
      notes.back() += fmt::format("; --unit-residues, the size of a {}, makes them seconds", unit);
    }
  }
  if (const auto note = speed_note(splits); !note.empty()) notes.push_back(note);
  if (request.bytes_per_unit == 0) {
    notes.push_back(fmt::format(
        "memory limits nothing here, for --unit-memory, that of a {}, is not given", unit));
  }
  if (request.unit == SplitUnit::residues) {
    notes.emplace_back("bytes sent are those of ghosts in a dense phase that is cut in space");
    notes.emplace_back(
        "a run begins with equal parts or by score, and then follows the ranks' measured speeds");
  } else {
    notes.push_back(fmt::format("{} send nothing while they step", plural_of(request.unit)));
  }
  for (const auto& shares : splits.strategies) {
    if (shares.split) continue;
    notes.push_back(fmt::format("{}: {}", core::name_of(shares.strategy), shares.refusal));
  }
  for (const auto& device : splits.left_out) notes.push_back(device + ", and gets nothing");
  return notes;
}

void add_device_rows(const DeviceSplits& splits, const TimeScale& scale, core::TextTable& table) {
  for (std::size_t k = 0; k < splits.devices.size(); ++k) {
    const auto& device = splits.devices[k];
    const auto& known = device.known;
    std::vector<std::string> row{
        name_of(device, splits), fmt::format("{:.1f}", known.score),
        device.residue_steps_per_second ? telemetry::format_count(*device.residue_steps_per_second)
                                        : "?",
        known.memory_bytes
            ? fmt::format("{:.1f} GB", static_cast<double>(*known.memory_bytes) * 1e-9)
            : "?"};
    for (const auto& shares : splits.strategies) {
      row.push_back(!shares.split ? "-"
                                  : fmt::format("{} in {}", shares.split->units[k],
                                                scale.text(shares.split->seconds[k])));
    }
    table.add(std::move(row));
  }
}

/// Adds a row with one value per strategy.
void add_row(const DeviceSplits& splits, const char* name, const auto& text_of,
             core::TextTable& table) {
  std::vector<std::string> row{name, "", "", ""};
  for (const auto& shares : splits.strategies) {
    row.push_back(shares.split ? text_of(*shares.split) : "-");
  }
  table.add(std::move(row));
}

}  // namespace

std::string table_text(const DeviceSplits& splits) {
  const auto& request = splits.request;
  const auto scale = scale_of(splits);
  core::TextTable table;
  std::vector<std::string> heading{"device", "its score", "residues/s", "memory free"};
  for (const auto name : core::split_names()) heading.emplace_back(name);
  table.add(std::move(heading));
  add_device_rows(splits, scale, table);
  add_row(
      splits, "time of the slowest",
      [&](const core::Split& split) { return scale.text(split.seconds_of_slowest()); }, table);
  add_row(
      splits, "balance",
      [](const core::Split& split) { return fmt::format("{:.1f} %", 100 * split.balance); }, table);
  add_row(
      splits, "sent in a step",
      [](const core::Split& split) {
        return telemetry::format_bytes(std::llround(split.communication_bytes));
      },
      table);
  const auto devices = splits.devices.size();
  auto text = fmt::format(
      "{} {} shared out over {} device{}, by each strategy of devices.split\n{}", request.units,
      plural_of(request.unit), devices, devices == 1 ? "" : "s", table.text());
  for (const auto& note : notes_of(splits)) text += "  note: " + note + "\n";
  return text;
}

nlohmann::ordered_json json_of(const DeviceSplits& splits) {
  using Json = nlohmann::ordered_json;
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  const auto known = [](std::int64_t number) { return number > 0 ? Json(number) : Json(nullptr); };
  const auto& request = splits.request;
  Json output{{"units", request.units},
              {"unit", plural_of(request.unit)},
              {"residues_per_unit", known(request.residues_per_unit)},
              {"bytes_per_unit", known(request.bytes_per_unit)},
              {"devices", Json::array()},
              {"strategies", Json::array()},
              {"notes", notes_of(splits)}};
  for (const auto& device : splits.devices) {
    output["devices"].push_back(
        {{"host", device.host},
         {"name", device.name},
         {"uuid", device.uuid.empty() ? Json(nullptr) : Json(device.uuid)},
         {"score", device.known.score},
         {"residue_steps_per_second", or_null(device.residue_steps_per_second)},
         {"memory_free_bytes", or_null(device.known.memory_bytes)}});
  }
  const double equal = time_of_equal_shares(splits);
  const bool is_any_unmeasured = !not_measured(splits).empty();
  for (const auto& shares : splits.strategies) {
    Json one{
        {"name", core::name_of(shares.strategy)},
        {"falls_back_on_scores", is_any_unmeasured && core::uses_measured_speeds(shares.strategy)}};
    if (const auto& split = shares.split) {
      auto relative = split->seconds;
      for (double& time : relative) time /= equal;
      one["units"] = split->units;
      one["seconds"] = splits.has_seconds() ? Json(split->seconds) : Json(nullptr);
      one["relative_times"] = relative;
      one["balance"] = split->balance;
      one["bytes_sent_per_step"] = split->communication_bytes;
    } else {
      one["refusal"] = shares.refusal;
    }
    output["strategies"].push_back(std::move(one));
  }
  return output;
}

}  // namespace nfold::bench
