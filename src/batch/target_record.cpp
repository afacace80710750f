// Sums of steps, and the file NAME.prediction.json.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/target_record.hpp"

#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/storage/atomic_file.hpp"
#include "core/version.hpp"
#include "estimate/interval.hpp"
#include "session/setup/machine_lookup.hpp"

namespace nfold::batch {
namespace {

using Json = nlohmann::ordered_json;

constexpr int estimate_format_version = 1;

struct RecordedEstimate {
  double predicted = 0, low = 0, high = 0, measured = 0;
  std::string by;
};

/// Reads a file. None if there is none, or if the target was not measured completely.
std::optional<RecordedEstimate> read_estimate(const std::filesystem::path& path) {
  std::ifstream file(path);
  const auto text = Json::parse(file, nullptr, false);
  if (!text.is_object() || !text.value("measured_seconds", Json()).is_number()) return std::nullopt;
  try {
    return RecordedEstimate{text.at("predicted_seconds"), text.at("low_seconds"),
                            text.at("high_seconds"), text.at("measured_seconds"), text.at("by")};
  } catch (const Json::exception&) {
    return std::nullopt;  // a foreign file
  }
}

}  // namespace

void TargetRecord::add(std::size_t part, const setup::TimedSteps& taken, bool is_whole) {
  if (is_whole) ++whole_parts_;
  if (!context_.estimator || part >= work_.parts.size() || work_.parts[part].steps <= 0) return;
  auto one = work_;
  one.parts = {work_.parts[part]};
  const double fraction =
      static_cast<double>(taken.steps) / static_cast<double>(one.parts.front().steps);
  step_seconds_estimate_ += fraction * estimate_work(one).row.predicted.steps;
  taken_.steps += taken.steps;
  taken_.seconds += taken.seconds;
}

std::string TargetRecord::finish(const std::string& target, bool was_interleaved) const {
  if (!context_.estimator) return {};
  const double seconds = own_.seconds(setup::is_single_threaded(ranks_));
  const bool is_whole = !was_interleaved && whole_parts_ == work_.parts.size();
  const bool has_steps = !was_interleaved && setup::measures_speed(taken_);
  try {
    auto estimated = estimate_work(work_);
    const double whole = estimated.seconds.all();
    const auto [low, high] = estimate::ninety_percent_interval(whole, estimated.spread);
    const double learned = estimated.seconds.steps / estimated.row.predicted.steps;
    auto& row = estimated.row;
    row.name = target;
    if (has_steps) {
      row.steps_predicted = step_seconds_estimate_;
      row.steps_measured = taken_.seconds;
    }
    if (is_whole) row.measured = seconds;
    const Json entry{
        {"format", estimate_format_version},
        {"version", core::version},
        {"target", target},
        {"space", estimate::backend_name(row.space)},
        {"ranks", row.ranks},
        {"threads", row.threads},
        {"had_company", was_interleaved},
        {"predicted_seconds", whole},
        {"low_seconds", low},
        {"high_seconds", high},
        {"by", estimated.by},
        {"measured_seconds", is_whole ? Json(seconds) : Json()},
        {"predicted_seconds_of_steps", has_steps ? Json(learned * step_seconds_estimate_) : Json()},
        {"measured_seconds_of_steps", has_steps ? Json(taken_.seconds) : Json()}};
    storage::write_file_atomically(context_.folder.estimate(target), entry.dump(1) + "\n");
    return setup::add_to_history(std::move(row));
  } catch (const std::exception& failure) {
    return fmt::format("what it took was not kept: {}", failure.what());
  }
}

std::vector<std::string> describe_estimates(const BatchFolder& folder,
                                            const std::vector<input::BatchTarget>& targets) {
  std::vector<std::string> outside;
  std::size_t measured = 0;
  for (const auto& target : targets) {
    const auto entry = read_estimate(folder.estimate(target.name));
    if (!entry) continue;
    ++measured;
    if (entry->low <= entry->measured && entry->measured <= entry->high) continue;
    outside.push_back(fmt::format(
        "{} took {:.3g} s, {:.3g} s were predicted by {}, {:.3g} to "
        "{:.3g} s with 90 %",
        target.name, entry->measured, entry->predicted, entry->by, entry->low, entry->high));
  }
  if (measured == 0) return {};
  outside.insert(outside.begin(),
                 fmt::format("{} of {} targets that had their rank for themselves took what was "
                             "predicted, within its interval of 90 %",
                             measured - outside.size(), measured));
  return outside;
}

}  // namespace nfold::batch
