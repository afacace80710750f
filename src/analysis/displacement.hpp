// Mean square displacement of chain centres by species, at lags that double.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>

#include "analysis/blocked_sums.hpp"
#include "analysis/frame.hpp"

namespace nfold::analysis {

/// A multiple-tau correlator without averaging: level l keeps the last few of every 2^l-th frame,
/// so that each lag is exact and memory grows with the logarithm of the run. Lags are 1 .. 7 frames
/// and 4 .. 7 times 2^l. The motion of the system's centre of mass counts: a thermostat moves it as
/// part of each chain's diffusion, and without one it rests (dynamics/temperature.hpp).
class Displacement final : public Accumulator {
 public:
  /// Of a species with more chains every n-th is followed, so that there are no more than this.
  static constexpr std::size_t most_chains = 2000;
  static constexpr std::size_t kept = 8;  ///< lags of a level end before this

  /// frame_ps: time between frames.
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
    std::deque<Centres> before;       // the last kept - 1, oldest first
    std::vector<BlockedSums> of_lag;  // (kept) by lag in frames of this level, from first_lag()
  };
  struct Lag {
    std::int64_t rows = 0;    // of its level
    std::int64_t frames = 0;  // of the run
    const BlockedSums* sums = nullptr;
  };
  [[nodiscard]] std::vector<Lag> lags() const;  // ascending
  [[nodiscard]] double error_nm2(const Lag& lag, std::size_t species) const;
  [[nodiscard]] Centres centres_of(const Frame& frame) const;
  void add_to(std::size_t depth, const Centres& centres);
  [[nodiscard]] static std::size_t first_lag(std::size_t depth);
  /// Mean squared distance of each species [nm^2] as fixed-point numbers.
  [[nodiscard]] std::vector<std::int64_t> squared_distances(const Centres& from,
                                                            const Centres& to) const;

  const topology::Topology& topology_;
  double frame_ps_;
  std::vector<std::vector<int>> chains_;  // (species) those followed
  std::int64_t frames_ = 0;
  std::vector<Level> levels_;
};

}  // namespace nfold::analysis
