// Lifetime and skin of neighbour lists.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/list_lifetime.hpp"

#include <algorithm>
#include <cmath>

namespace nfold::engine {

namespace {

/// Steps between two saved states if nothing else limits a block.
constexpr std::int64_t longest_block = 500;

/// Captured blocks after a change of skin that are not timed: a longer skin needs a new halo plan,
/// and each kind of block is captured once. Both would bias against any change.
constexpr int uncounted_blocks = 6;
/// Blocks with a new capture that are not timed either.
constexpr int uncounted_new_blocks = 64;

/// Time to capture a block per step [s], on hosts of H200: if a step takes longer on the GPU,
/// capturing does not delay it.
constexpr double recording_seconds_a_step = 3e-5;

/// Rounds down to one of few lengths, so that few graphs are captured: a sixteenth to an eighth
/// apart, and even, which leaves the order of the two record sets unchanged.
std::int64_t one_of_few(std::int64_t steps) {
  if (steps < 8) return steps;
  std::int64_t apart = 2;
  while (16 * apart <= steps) apart *= 2;
  return steps / apart * apart;
}

}  // namespace

ListLifetime::ListLifetime(double given_skin_nm, double first_skin_nm, int rebuild_every,
                           bool made_within_blocks)
    : skin_nm_(given_skin_nm > 0 ? given_skin_nm : first_skin_nm),
      first_skin_nm_(first_skin_nm),
      rebuild_every_(rebuild_every),
      longest_forced_block_(rebuild_every),
      made_within_blocks_(made_within_blocks) {
  if (given_skin_nm <= 0 && rebuild_every == 0) tuner_.emplace(first_skin_nm);
}

void ListLifetime::limit_skin(double longest_nm) {
  tuner_->limit_skin(longest_nm);
  is_limited_ = true;
}

void ListLifetime::shorten_skin_to(double fits_nm, std::int64_t step) {
  skin_nm_ = tuner_->shorten_skin_to(std::max(fits_nm, first_skin_nm_));
  blocks_of_skin_ = 0;
  begin_lap(step);
}

void ListLifetime::add_lap() {
  const auto now = Clock::now();
  lap_seconds_ += std::chrono::duration<double>(now - lap_start_).count();
  lap_start_ = now;
}

void ListLifetime::begin_lap(std::int64_t step) {
  lap_seconds_ = 0;
  lap_step_ = step;
}

void ListLifetime::choose_skin(const comm::Communicator& communicator, std::int64_t step) {
  if (!tuner_) return;
  add_lap();
  if (step > lap_step_) {
    const auto nanoseconds = communicator.max(std::llround(1e9 * lap_seconds_));
    skin_nm_ = tuner_->next(step - lap_step_, 1e-9 * static_cast<double>(nanoseconds));
  }
  begin_lap(step);
}

bool ListLifetime::are_due() const {
  if (rebuild_every_ > 0) return age_steps_ >= rebuild_every_;
  return !made_within_blocks_ && age_steps_ >= lifetime_steps_;
}

std::int64_t ListLifetime::next_block_steps(std::int64_t remaining) const {
  if (rebuild_every_ > 0) {
    return std::min({remaining, rebuild_every_ - age_steps_, longest_forced_block_});
  }
  if (made_within_blocks_) return std::min(remaining, longest_block);
  return std::min(remaining, std::max<std::int64_t>(1, lifetime_steps_ - age_steps_));
}

/// Adapts the lifetime so that the fastest residue uses most of the move that the skin allows.
void ListLifetime::record_valid(std::int64_t steps, double moved_fraction) {
  age_steps_ += steps;
  longest_forced_block_ = rebuild_every_;
  if (age_steps_ < lifetime_steps_) return;
  const double growth = std::clamp(0.85 / std::max(0.01, moved_fraction), 0.7, 1.25);
  const auto grown = std::llround(static_cast<double>(lifetime_steps_) * growth);
  // At least one step more: a short lifetime times 1.25 would round to itself for ever.
  lifetime_steps_ = std::clamp<std::int64_t>(
      growth > 1.1 ? std::max<std::int64_t>(grown, lifetime_steps_ + 1) : grown, 1, 1000);
}

void ListLifetime::record_invalid(std::int64_t steps) {
  lifetime_steps_ =
      std::max<std::int64_t>(1, std::min(lifetime_steps_, age_steps_ + steps) * 2 / 3);
  longest_forced_block_ = std::max<std::int64_t>(1, steps / 2);
}

/// Cached graphs start at once: the length is kept as long as it is nearly optimal.
std::int64_t ListLifetime::captured_block_steps() {
  if (rebuild_every_ > 0) return rebuild_every_;
  const std::int64_t wanted = pace_.lifetime(skin_nm_);
  if (step_seconds_ > recording_seconds_a_step) return wanted;
  if (wanted < block_steps_ || 8 * wanted > 9 * block_steps_) block_steps_ = one_of_few(wanted);
  return block_steps_;
}

double ListLifetime::lap_seconds() {
  add_lap();
  return lap_seconds_;
}

void ListLifetime::learn(const CapturedLists& lists) {
  if (lists.moved_too_far) {
    pace_.widen_scatter();
  } else {
    pace_.learn(lists.steps - 1, lists.largest_move_nm);
  }
  // Not counted: blocks under way when the skin changed, the first ones after it, and blocks
  // delayed by their capture.
  const bool waited = lists.is_new && step_seconds_ <= recording_seconds_a_step &&
                      ++new_blocks_ <= uncounted_new_blocks;
  if (lists.skin_nm != skin_nm_ || blocks_of_skin_ < uncounted_blocks || waited) {
    if (lists.skin_nm == skin_nm_) ++blocks_of_skin_;
    begin_lap(lists.last_step);
    return;
  }
  // Long enough that clock resolution and halo plans do not matter.
  const std::int64_t lap_steps = lists.last_step - lap_step_;
  const std::int64_t least_blocks = lap_seconds_ < 0.1 ? 10 : 4;
  if (lap_seconds_ < 0.05 || lap_steps < least_blocks * lists.steps) return;
  step_seconds_ = lap_seconds_ / static_cast<double>(lap_steps);
  new_blocks_ = 0;
  const double before_nm = skin_nm_;
  if (tuner_) skin_nm_ = tuner_->next(lap_steps, lap_seconds_);
  if (skin_nm_ != before_nm) blocks_of_skin_ = 0;
  begin_lap(lists.last_step);
}

}  // namespace nfold::engine
