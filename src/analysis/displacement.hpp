// Mean square displacement of chain centres by species, at doubling lags.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>

#include "analysis/blocked_sums.hpp"
#include "analysis/frame.hpp"

namespace nfold::analysis {

/// Multiple-tau correlator without averaging: level l keeps the last few of every 2^l-th frame, so
/// that each lag is exact and memory grows with the logarithm of the run. Lags are 1 .. 7 frames
/// and 4 .. 7 times 2^l. The motion of the system's centre of mass is included: a thermostat moves
/// it as part of each chain's diffusion, and without one it is at rest (engine/temperature.hpp).
class Displacement final : public Accumulator {
 public:
  /// Limit of chains followed per species; of a species with more, every n-th is followed.
  static constexpr std::size_t most_chains = 2000;
  static constexpr std::size_t kept = 8;  ///< exclusive upper limit of the lags of a level

  /// frame_ps: time between frames [ps].
  Displacement(const topology::Topology& topology, double frame_ps);

  [[nodiscard]] std::string name() const override { return "mean_square_displacement"; }
  void add(const Frame& frame) override;
  [[nodiscard]] std::vector<Result> results() const override;

 protected:
  void save_parameters(WordWriter& to) const override;
  void save_sums(WordWriter& to) const override;
  void restore_sums(WordReader& from) override;

 private:
  using Centres = std::vector<std::array<std::int64_t, 3>>;  // (chains followed) [2^-32 nm]
  struct Level {
    std::deque<Centres> before;       // latest kept - 1 frames, oldest first
    std::vector<BlockedSums> of_lag;  // (kept) by lag in frames of this level, from first_lag() on
  };
  struct Lag {
    std::int64_t rows = 0;    // frames of its level
    std::int64_t frames = 0;  // frames of the run
    const BlockedSums* sums = nullptr;
  };
  [[nodiscard]] std::vector<Lag> lags() const;  // ascending
  [[nodiscard]] double error_nm2(const Lag& lag, std::size_t species) const;
  [[nodiscard]] Centres centres_of(const Frame& frame) const;
  void add_to(std::size_t depth, const Centres& centres);
  [[nodiscard]] static std::size_t first_lag(std::size_t depth);
  /// Returns the mean squared distance of each species [nm^2] as fixed-point numbers.
  [[nodiscard]] std::vector<std::int64_t> squared_distances(const Centres& from,
                                                            const Centres& to) const;

  const topology::Topology& topology_;
  double frame_ps_;
  std::vector<std::vector<int>> chains_;  // (species) chains followed
  std::int64_t frames_ = 0;
  std::vector<Level> levels_;
};

}  // namespace nfold::analysis
