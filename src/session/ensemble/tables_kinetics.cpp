// First-passage times in each state as tables and text.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/tables_kinetics.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <utility>

#include "analysis/thermodynamics/first_passage.hpp"

namespace nfold::ensemble {
namespace {

using thermodynamics::ExponentialFit;
using thermodynamics::Passing;

constexpr double not_passed = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t max_kinetics_lines = 16;  // lines in the log; the file has all

/// Replicas of one state that began on the side from which they can pass.
struct StatePassages {
  std::string state;  // description
  std::vector<std::size_t> replica;
  thermodynamics::PassageTimes times;
  thermodynamics::SurvivalCurve curve;
  ExponentialFit plain, lagged;
};

/// True if this ladder's replicas began on the side where such a passage begins.
bool can_pass(const input::Settings& settings, int ladder, Passing passing) {
  const bool unfolded = settings.ensemble.starts == input::EnsembleStarts::both_ends
                            ? ladder % 2 == 1
                            : settings.start.from == input::StartFrom::unfolded;
  return unfolded == (passing == Passing::folding);
}

std::vector<StatePassages> analyse(const EnsembleSnapshot& snapshot,
                                   const thermodynamics::NativeFractionSamples& samples,
                                   Passing passing) {
  const auto& exchange = snapshot.exchange;
  const auto& ensemble = snapshot.settings.ensemble;
  const double threshold = passing == Passing::folding ? ensemble.folded_native_fraction
                                                       : ensemble.unfolded_native_fraction;
  const thermodynamics::LadderPath path(exchange.ladder());
  std::vector<StatePassages> all(path.states().size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    auto& one = all[k];
    one.state = path.describe(k);
    const auto found =
        thermodynamics::first_passages(samples, k, path.states().size(), passing, threshold);
    one.times.interval_ps = found.interval_ps;
    one.times.end_ps = found.end_ps;
    for (std::size_t ladder = 0; ladder < found.replicas(); ++ladder) {
      if (!can_pass(snapshot.settings, static_cast<int>(ladder), passing)) continue;
      one.replica.push_back(ladder * all.size() + k);
      one.times.time_ps.push_back(found.time_ps[ladder]);
      one.times.passed.push_back(found.passed[ladder]);
    }
    if (one.replica.empty()) return {};
    one.curve = thermodynamics::kaplan_meier(one.times);
    one.plain = thermodynamics::fit_exponential(one.times, thermodynamics::Lag::none);
    one.lagged = thermodynamics::fit_exponential(one.times, thermodynamics::Lag::fitted);
    for (auto* const fit : {&one.plain, &one.lagged}) {
      thermodynamics::test_fit(*fit, one.times, snapshot.settings.dynamics.seed);
    }
  }
  return all;
}

std::string format_ns(double ps) {
  return std::isfinite(ps) ? fmt::format("{:.3g} ns", ps / 1000) : "unknown";
}

std::string format_interval(const ExponentialFit& fit) {
  return fmt::format("{} (95 % {:.3g} to {:.3g})", format_ns(fit.mean_ps), fit.low_ps / 1000,
                     fit.high_ps / 1000);
}

std::string describe(const StatePassages& one, Passing passing) {
  const auto replicas = one.times.replicas();
  const char* const did = passing == Passing::folding ? "folded" : "unfolded";
  if (one.plain.events == 0) {
    return fmt::format(
        "at {} none of {} replicas {} within {}; mean first-passage time "
        "above {} (97.5 %)",
        one.state, replicas, did, format_ns(one.times.end_ps), format_ns(one.plain.low_ps));
  }
  auto text = fmt::format(
      "at {} {} of {} replicas {}; mean first-passage time {} by "
      "exponential fit",
      one.state, one.plain.events, replicas, did, format_interval(one.plain));
  if (one.plain.mean_ps < 3 * one.times.interval_ps) {
    return text +
           fmt::format("; samples every {} are too rare for it", format_ns(one.times.interval_ps));
  }
  if (one.plain.holds()) return text;
  text += fmt::format(", which does not hold (distance {:.2f}, p {:.3f})", one.plain.distance,
                      one.plain.probability);
  if (!one.lagged.holds()) {
    const double median = thermodynamics::median_ps(one.curve);
    return text + ": not a single exponential, with or without a lag" +
           (std::isnan(median) ? ""
                               : fmt::format("; half have {} after {}", did, format_ns(median)));
  }
  return text + fmt::format(": a lag of {} and then {} does", format_ns(one.lagged.lag_ps),
                            format_interval(one.lagged));
}

using Row = std::vector<double>;

void add_tables(const std::vector<StatePassages>& all, Passing passing,
                const std::vector<double>& time_ps, std::int64_t replicas, common::Tables& tables) {
  const std::string prefix =
      passing == Passing::folding ? "kinetics/folding_" : "kinetics/unfolding_";
  // Each state gives a row.
  const auto add = [&](const char* name, const char* unit, const char* help, std::int64_t columns,
                       const auto& row_of) {
    Row values;
    for (const auto& one : all) {
      const Row row = row_of(one);
      values.insert(values.end(), row.begin(), row.end());
    }
    tables.add(prefix + name, unit, help, {std::ssize(all), columns}, std::move(values));
  };
  std::vector<std::int64_t> passed;
  for (const auto& one : all) {
    passed.insert(passed.end(),
                  {std::ssize(one.times.passed), static_cast<std::int64_t>(one.plain.events)});
  }
  tables.add_whole(prefix + "replicas", "(states, 2) replicas that could pass, and those that did",
                   {std::ssize(all), 2}, passed);
  add("mean_time", "ps",
      "(states, 3) mean first-passage time by exponential fit with censoring, and its 95 % "
      "interval; a passage is taken in the middle between samples",
      3, [](const auto& one) {
        return Row{one.plain.mean_ps, one.plain.low_ps, one.plain.high_ps};
      });
  Row median_ps;
  median_ps.reserve(all.size());
  for (const auto& one : all) median_ps.push_back(thermodynamics::median_ps(one.curve));
  tables.add_column(prefix + "median_time", "ps",
                    "(states) first sample at which half have passed; not a number before",
                    median_ps);
  add("fit_distance", "",
      "(states, 2) largest difference of survival and its exponential fit, and how often times "
      "drawn from the fit lie as far (below 0.05: not exponential)",
      2, [](const auto& one) {
        return Row{one.plain.distance, one.plain.probability};
      });
  add("lagged_time", "ps",
      "(states, 4) lag before which none passes, mean after it, and its 95 % interval", 4,
      [](const auto& one) {
        return Row{one.lagged.lag_ps, one.lagged.mean_ps, one.lagged.low_ps, one.lagged.high_ps};
      });
  add("lagged_fit_distance", "", "(states, 2) as the distance of the fit without lag", 2,
      [](const auto& one) {
        return Row{one.lagged.distance, one.lagged.probability};
      });
  const auto samples = static_cast<std::int64_t>(time_ps.size());
  const auto along = [&time_ps](const StatePassages& one, double thermodynamics::Survival::*part) {
    Row row;
    row.reserve(time_ps.size());
    for (const double time : time_ps)
      row.push_back(thermodynamics::survival_at(one.curve, time).*part);
    return row;
  };
  add("survival", "", "(states, samples) share that has not passed (Kaplan and Meier)", samples,
      [&](const auto& one) { return along(one, &thermodynamics::Survival::share); });
  add("survival_error", "", "(states, samples) its standard error (Greenwood)", samples,
      [&](const auto& one) { return along(one, &thermodynamics::Survival::error); });
  Row first(static_cast<std::size_t>(replicas), not_passed);
  for (const auto& one : all) {
    for (std::size_t n = 0; n < one.replica.size(); ++n) {
      if (one.times.passed[n] != 0) first[one.replica[n]] = one.times.time_ps[n];
    }
  }
  tables.add_column(prefix + "time", "ps",
                    "(replicas) first sample at which each had passed; not a number: it has not, "
                    "or began on the other side",
                    first);
}

}  // namespace

void add_kinetics(const EnsembleSnapshot& snapshot, const std::vector<double>& step,
                  const std::vector<double>& native_fraction, EnsembleContents& contents) {
  if (snapshot.settings.ensemble.exchanges() || step.empty()) return;
  std::vector<double> time_ps;
  time_ps.reserve(step.size());
  for (const double s : step) time_ps.push_back(s * snapshot.settings.dynamics.time_step_ps);
  auto& [header, tables, messages, means] = contents;
  tables.add_column("kinetics/time", "ps", "(samples) of the survival curves", time_ps);
  for (const auto passing : {Passing::folding, Passing::unfolding}) {
    const auto all = analyse(snapshot, {time_ps, native_fraction}, passing);
    if (all.empty()) continue;
    add_tables(all, passing, time_ps, snapshot.exchange.replicas(), tables);
    for (std::size_t k = 0; k < all.size() && k < max_kinetics_lines; ++k) {
      messages.push_back(describe(all[k], passing));
    }
    if (all.size() > max_kinetics_lines) {
      messages.push_back(fmt::format("and {} more states in the file's group kinetics",
                                     all.size() - max_kinetics_lines));
    }
  }
}

}  // namespace nfold::ensemble
