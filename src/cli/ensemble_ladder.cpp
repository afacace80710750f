// Ladders that are geometric, given or tuned; rank 0's numbers count, since powers are the C
// library's. SPDX-License-Identifier: BSD-3-Clause
#include "cli/ensemble_ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "cli/schedule.hpp"

namespace nfold::cli {
namespace {

std::vector<double> of_root(const comm::Communicator& communicator, std::vector<double> kelvin) {
  if (communicator.size() == 1) return kelvin;
  const auto all = communicator.all_gather(std::span<const double>(kelvin));
  std::copy_n(all.begin(), kelvin.size(), kelvin.begin());
  return kelvin;
}

}  // namespace

std::vector<double> first_ladder(const comm::Communicator& communicator,
                                 const config::EnsembleSettings& settings) {
  if (!settings.temperatures_kelvin.empty()) return settings.temperatures_kelvin;
  return of_root(communicator,
                 ensemble::geometric_ladder(settings.lowest_kelvin, settings.highest_kelvin,
                                            settings.temperatures));
}

bool is_tuning_step(const config::EnsembleSettings& settings, std::int64_t step) {
  const auto every = settings.exchange_every_steps;
  if (settings.tuning_steps == 0 || !is_due(step, every) || step == 0) return false;
  const std::array moments{settings.tuning_steps / 4, settings.tuning_steps / 2,
                           settings.tuning_steps};
  return std::any_of(moments.begin(), moments.end(),
                     [&](std::int64_t moment) { return step <= moment && moment < step + every; });
}

std::string tune_ladder(const comm::Communicator& communicator, std::int64_t step,
                        ensemble::TemperatureExchange& exchange) {
  const auto [least, most] = std::minmax_element(
      exchange.pairs().begin(), exchange.pairs().end(),
      [](const auto& a, const auto& b) { return a.acceptance() < b.acceptance(); });
  const auto before =
      fmt::format("ladder tuned at step {}, where neighbours had accepted {:.0f} to {:.0f} %", step,
                  100 * least->acceptance(), 100 * most->acceptance());
  exchange.change_ladder(step, of_root(communicator, exchange.tuned_ladder()));
  const auto& kelvin = exchange.temperatures_kelvin();
  constexpr std::size_t most_shown = 32;
  const auto shown = std::span(kelvin).first(std::min(kelvin.size(), most_shown));
  return fmt::format("{}; now {:.2f}{} K", before, fmt::join(shown, " "),
                     kelvin.size() > most_shown ? " ..." : "");
}

}  // namespace nfold::cli
