// Multiple-tau levels of chain centres, each half as frequent as the one before.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/displacement.hpp"

#include <limits>
#include <span>
#include <utility>

#include "analysis/chain_kinds.hpp"
#include "analysis/chain_sizes.hpp"
#include "analysis/diffusion.hpp"
#include "analysis/sampling_limits.hpp"

namespace nfold::analysis {
namespace {

constexpr double centre_quantum_nm = 0x1p-32, displacement_quantum_nm2 = 0x1p-20;
// Must be raised if saved sums change their meaning.
constexpr std::int64_t sums_version = 1;

std::vector<int> every_nth(const std::vector<int>& chains, std::size_t most) {
  std::vector<int> some;
  const std::size_t stride = (chains.size() + most - 1) / most;
  for (std::size_t c = 0; c < chains.size(); c += stride) some.push_back(chains[c]);
  return some;
}

}  // namespace

Displacement::Displacement(const topology::Topology& topology, double frame_ps)
    : topology_(topology), frame_ps_(frame_ps) {
  for (const auto& kind : chain_kinds(topology).kinds) {
    chains_.push_back(every_nth(kind.chains, most_chains));
  }
}

Displacement::Centres Displacement::centres_of(const Frame& frame) const {
  Centres centres;
  for (const auto& chains : chains_) {
    for (const int c : chains) {
      const auto centre =
          chain_centre_nm(topology_, topology_.chains[static_cast<std::size_t>(c)], frame.x_nm);
      auto& row = centres.emplace_back();
      for (std::size_t k = 0; k < 3; ++k) {
        row[k] = to_fixed_point(centre[k], centre_quantum_nm, "a chain's position in nm");
      }
    }
  }
  return centres;
}

std::vector<std::int64_t> Displacement::squared_distances(const Centres& from,
                                                          const Centres& to) const {
  std::vector<std::int64_t> means;
  std::size_t row = 0;
  for (const auto& chains : chains_) {
    double sum = 0;
    for (std::size_t c = 0; c < chains.size(); ++c, ++row) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double d = static_cast<double>(to[row][k] - from[row][k]) * centre_quantum_nm;
        sum += d * d;
      }
    }
    const double mean = sum / static_cast<double>(chains.size());
    means.push_back(
        to_fixed_point(mean, displacement_quantum_nm2, "a mean square displacement in nm^2"));
  }
  return means;
}

// Returns the first lag of a level; shorter lags are covered by the level before.
std::size_t Displacement::first_lag(std::size_t depth) { return depth == 0 ? 1 : kept / 2; }

void Displacement::add_to(std::size_t depth, const Centres& centres) {
  auto& level = levels_[depth];
  for (std::size_t lag = first_lag(depth); lag <= level.before.size(); ++lag) {
    level.of_lag[lag].add(squared_distances(level.before[level.before.size() - lag], centres));
  }
  level.before.push_back(centres);
  if (level.before.size() == kept) level.before.pop_front();
}

void Displacement::add(const Frame& frame) {
  const auto centres = centres_of(frame);
  const std::vector<BlockedSums> no_sums(kept, BlockedSums(chains_.size()));
  if (levels_.empty()) levels_.push_back({{}, no_sums});
  for (std::size_t depth = 0; frames_ % (std::int64_t{1} << depth) == 0; ++depth) {
    // The first frame of all belongs to every level; it is still the oldest of the level before.
    if (depth == levels_.size()) levels_.push_back({{levels_.back().before.front()}, no_sums});
    add_to(depth, centres);
    if (frames_ == 0) break;
  }
  ++frames_;
}

/// Returns NaN if the frames span too few lags: pairs of one lag overlap, so independent blocks
/// must be as long as the lag.
double Displacement::error_nm2(const Lag& lag, std::size_t species) const {
  const bool carries_error = lag.sums->rows() >= fewest_blocks * lag.rows;
  return carries_error ? displacement_quantum_nm2 * lag.sums->error(species)
                       : std::numeric_limits<double>::quiet_NaN();
}

std::vector<Displacement::Lag> Displacement::lags() const {
  std::vector<Lag> all;
  for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
    for (std::size_t lag = first_lag(depth); lag < kept; ++lag) {
      const auto& sums = levels_[depth].of_lag[lag];
      const auto rows = static_cast<std::int64_t>(lag);
      if (sums.rows() > 0) all.push_back({rows, rows << depth, &sums});
    }
  }
  return all;
}

std::vector<Result> Displacement::results() const {
  const auto all = lags();
  const auto count = static_cast<std::int64_t>(all.size());
  const auto species = static_cast<std::int64_t>(chains_.size());
  const std::string group = "mean_square_displacement/";
  Result lag{group + "lag", "ps", "(lags) time between two frames", {count}, {}};
  Result mean{group + "value", "nm2", "(species, lags) of chain centres", {species, count}, {}};
  Result error{group + "error",
               "nm2",
               "standard error by blocking over time; not a number where the frames span less than "
               "8 times the lag",
               {species, count},
               {}};
  Result followed{
      group + "chains_followed", "", "(species) chains that are averaged", {species}, {}};
  Result exponent{
      group + "exponent",
      "",
      "(species) slope over the lag, both in logarithms, at the longest lag that is known "
      "to 10 %: 1 for diffusion; not a number where no lag and its half are",
      {species},
      {}};
  Result coefficient{group + "diffusion_coefficient",
                     "nm2 ps-1",
                     "(species) sixth of the slope, at the lag where its error is smallest; not "
                     "a number unless the exponent is 1 within 0.1 and its error",
                     {species},
                     {}};
  Result coefficient_error{group + "diffusion_coefficient_error",
                           "nm2 ps-1",
                           "(species) standard error of that",
                           {species},
                           {}};
  for (const auto& each : all) lag.values.push_back(static_cast<double>(each.frames) * frame_ps_);
  for (std::size_t s = 0; s < chains_.size(); ++s) {
    followed.values.push_back(static_cast<double>(chains_[s].size()));
    for (const auto& each : all) {
      mean.values.push_back(displacement_quantum_nm2 * each.sums->mean(s));
      error.values.push_back(error_nm2(each, s));
    }
    const auto of_species = [&](const Result& result) {
      return std::span(result.values).subspan(s * all.size(), all.size());
    };
    const auto fit = diffusion(lag.values, of_species(mean), of_species(error));
    exponent.values.push_back(fit.exponent);
    coefficient.values.push_back(fit.coefficient);
    coefficient_error.values.push_back(fit.error);
  }
  return {std::move(lag),
          std::move(mean),
          std::move(error),
          std::move(followed),
          std::move(exponent),
          std::move(coefficient),
          std::move(coefficient_error)};
}

void Displacement::save_parameters(WordWriter& to) const {
  to.put(sums_version);
  to.put_number(frame_ps_);
}

void Displacement::save_sums(WordWriter& to) const {
  to.put(frames_);
  to.put(static_cast<std::int64_t>(levels_.size()));
  for (const auto& level : levels_) {
    to.put(static_cast<std::int64_t>(level.before.size()));
    for (const auto& centres : level.before) {
      for (const auto& row : centres) {
        for (const auto component : row) to.put(component);
      }
    }
    for (const auto& sums : level.of_lag) sums.save(to);
  }
}

void Displacement::restore_sums(WordReader& from) {
  std::size_t followed = 0;
  for (const auto& chains : chains_) followed += chains.size();
  frames_ = from.get();
  levels_.clear();
  for (auto left = from.get(); left > 0; --left) {
    auto& level = levels_.emplace_back();
    for (auto frames = from.get(); frames > 0; --frames) {
      auto& centres = level.before.emplace_back(followed);
      for (auto& row : centres) {
        for (auto& component : row) component = from.get();
      }
    }
    level.of_lag.assign(kept, BlockedSums(chains_.size()));
    for (auto& sums : level.of_lag) sums.restore(from);
  }
}

}  // namespace nfold::analysis
