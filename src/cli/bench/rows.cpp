// Columns of JSON and CSV rows.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "core/csv.hpp"
#include "core/host_name.hpp"
#include "core/refusal.hpp"
#include "core/utc.hpp"
#include "core/version.hpp"
#include "device/compute_environment.hpp"
#include "engine/engine.hpp"

namespace nfold::bench {
namespace {

using OrderedJson = nlohmann::ordered_json;

double per_residue(std::int64_t count, const BenchResult& result) {
  return static_cast<double>(count) / static_cast<double>(result.residues);
}

/// Returns the microseconds of a part of a step; null if it was not measured.
OrderedJson part_us(const Measurement& measurement, std::string_view name) {
  for (const auto& part : measurement.parts) {
    if (part.name == name) return part.microseconds;
  }
  return nullptr;
}

/// Returns the microseconds of an exchange in a transport's trial; null if there was none.
OrderedJson trial_us(const Measurement& measurement, comm::Transport transport) {
  for (const auto& trial : measurement.transport_trials) {
    if (trial.transport == transport && !trial.microseconds.empty()) {
      return trial.typical_microseconds();
    }
  }
  return nullptr;
}

/// Returns the columns of a row, in the same order for each row; null where there is no value.
OrderedJson row(const BenchContext& context, const BenchResult& result, std::size_t repeat) {
  constexpr double ns_per_day_of_ps_per_second = 86.4;
  const bool failed = !result.reason.empty();
  const auto& measurement = result.measurement;
  const TimedBlock block = failed ? TimedBlock() : measurement.blocks[repeat];
  const double speed = block.steps_per_second();
  const auto measured = [failed](auto value) {
    return failed ? OrderedJson() : OrderedJson(std::move(value));
  };
  const auto trial = [&](comm::Transport transport) { return trial_us(measurement, transport); };
  const auto& predicted = result.predicted_steps_per_second;
  return {{"date", context.date},
          {"host", context.host},
          {"device", context.device},
          {"version", context.version},
          {"ranks", context.ranks},
          {"precision", context.precision},
          {"overrides", context.overrides},
          {"system", result.system},
          {"residues", result.residues},
          {"chains", result.chains},
          {"replicas", result.replicas},
          {"time_step_ps", result.time_step_ps},
          {"status", failed ? "failed" : "measured"},
          {"reason", result.reason},
          {"repeat", measured(repeat + 1)},
          {"steps", measured(block.steps)},
          {"seconds", measured(block.seconds)},
          {"steps_per_second", measured(speed)},
          {"replica_steps_per_second",
           result.replicas > 0 ? measured(speed * result.replicas) : OrderedJson()},
          {"ns_per_day", measured(speed * result.time_step_ps * ns_per_day_of_ps_per_second)},
          {"rebuilds", measured(block.rebuilds)},
          {"replayed_blocks", measured(block.replayed_blocks)},
          {"transport", measured(measurement.transport)},
          {"peer_memory_trial_us", trial(comm::Transport::peer_memory)},
          {"peer_memory_and_nccl_trial_us", trial(comm::Transport::peer_memory_and_nccl)},
          {"nccl_trial_us", trial(comm::Transport::nccl)},
          {"mpi_device_trial_us", trial(comm::Transport::mpi_device)},
          {"mpi_trial_us", trial(comm::Transport::mpi)},
          {"halo_plans", measured(block.halo_plans)},
          {"halo_plan_seconds", measured(block.halo_plan_seconds)},
          {"skin_nm", measured(measurement.skin_nm)},
          {"list_entries_per_residue", measured(per_residue(measurement.pair_entries, result))},
          {"memory_bytes_per_residue", measured(per_residue(measurement.memory_bytes, result))},
          {"forces_us", part_us(measurement, "forces")},
          {"lists_us", part_us(measurement, "lists")},
          {"integrate_us", part_us(measurement, "integrate")},
          {"exchange_us", part_us(measurement, "exchange")},
          {"forces_with_float_sums_us", part_us(measurement, "forces with float sums")},
          {"temperature_kelvin", measured(measurement.temperature_kelvin)},
          {"build_seconds", result.build_seconds},
          {"warm_up_seconds", result.warm_up_seconds},
          {"predicted_steps_per_second", predicted ? OrderedJson(*predicted) : OrderedJson()}};
}

std::vector<OrderedJson> all_rows(const BenchReport& report) {
  std::vector<OrderedJson> rows;
  for (const auto& result : report.results) {
    const std::size_t count = result.reason.empty() ? result.measurement.blocks.size() : 1;
    for (std::size_t repeat = 0; repeat < count; ++repeat) {
      rows.push_back(row(report.context, result, repeat));
    }
  }
  return rows;
}

std::string quote_csv_field(const OrderedJson& value) {
  if (value.is_null()) return {};
  return value.is_string() ? core::quote_csv_field(value.get<std::string>()) : value.dump();
}

/// Columns of a row that a comparison uses.
struct EarlierRow {
  std::string system, precision;
  double steps_per_second = 0;
  int ranks = 0;
};

/// Returns an object for each line of a CSV text, with the names of its first line.
OrderedJson csv_objects(std::string_view text) {
  OrderedJson objects = OrderedJson::array();
  std::vector<std::string> names;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) {
    const auto fields = core::split_csv_row(line);
    if (names.empty()) {
      names = fields;
      continue;
    }
    auto object = OrderedJson::object();
    for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i) {
      object[names[i]] = fields[i];
    }
    objects.push_back(std::move(object));
  }
  return objects;
}

std::vector<EarlierRow> earlier_rows(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string_view::npos && text[first] == '{';
  const auto objects = is_json ? OrderedJson::parse(text).at("measurements") : csv_objects(text);
  std::vector<EarlierRow> rows;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto field = [&, i](const char* name) -> const OrderedJson& {
      if (objects[i].contains(name)) return objects[i][name];
      throw std::runtime_error(fmt::format("measurement {} has no '{}'", i + 1, name));
    };
    if (field("status") != "measured") continue;
    const auto number = [&field](const char* name) {
      const auto& value = field(name);
      return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
    };
    rows.push_back({field("system").get<std::string>(), field("precision").get<std::string>(),
                    number("steps_per_second"), static_cast<int>(number("ranks"))});
  }
  return rows;
}

}  // namespace

BenchContext bench_context(int ranks) {
  BenchContext context;
  context.date = core::utc(std::time(nullptr));
  context.host = core::host_name();
  context.device = device::execution_space_name();
  context.version = core::version;
  context.ranks = ranks;
  return context;
}

std::string json_text(const BenchReport& report) {
  OrderedJson left_out = OrderedJson::array();
  for (const auto& one : report.left_out) {
    left_out.push_back({{"system", one.system}, {"reason", one.reason}});
  }
  const OrderedJson document{
      {"format", 1}, {"measurements", all_rows(report)}, {"left_out", std::move(left_out)}};
  return document.dump(1) + "\n";
}

std::string csv_text(const BenchReport& report) {
  BenchResult nothing;
  nothing.reason = "only the names of its columns are wanted";
  std::string text, separator;
  const OrderedJson header = row(report.context, nothing, 0);
  for (const auto& column : header.items()) text += std::exchange(separator, ",") + column.key();
  text += '\n';
  for (const auto& one : all_rows(report)) {
    separator.clear();
    for (const auto& value : one) text += std::exchange(separator, ",") + quote_csv_field(value);
    text += '\n';
  }
  return text;
}

EarlierSpeeds::EarlierSpeeds(std::string_view text, const std::string& file) {
  std::vector<EarlierRow> rows;
  try {
    rows = earlier_rows(text);
  } catch (const std::exception& failure) {
    core::refuse("--against " + file, std::string("not a file of nfold bench: ") + failure.what(),
                 "give what --json or --csv wrote");
  }
  if (rows.empty()) {
    core::refuse("--against " + file, "no measurement in it", "give what --json or --csv wrote");
  }
  std::map<std::pair<std::string, std::string>, std::vector<double>> speeds;
  for (const auto& row : rows) {
    const std::pair key{row.system, row.precision};
    auto& kept = speeds_[key];
    auto& values = speeds[key];
    if (values.empty() || row.ranks < kept.ranks) {
      values.clear();
      kept.ranks = row.ranks;
    }
    if (row.ranks == kept.ranks) values.push_back(row.steps_per_second);
  }
  for (auto& [key, speed] : speeds_) speed.steps_per_second = median(speeds[key]);
}

std::optional<EarlierSpeeds::Speed> EarlierSpeeds::find(const std::string& system,
                                                        const std::string& precision) const {
  const auto found = speeds_.find({system, precision});
  if (found == speeds_.end()) return std::nullopt;
  return found->second;
}

}  // namespace nfold::bench
