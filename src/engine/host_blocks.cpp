// Blocks of steps launched by the host, and their collective outcomes.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host_blocks.hpp"

#include <algorithm>

#include "core/telemetry/profiler.hpp"
#include "engine/step_reports.hpp"
#include "engine/step_tasks.hpp"

namespace nfold::engine {

namespace {

enum class Outcome { good, exploded, moved };  // from the best to the worst
struct BlockEnd {
  Outcome outcome;
  double moved_fraction;  // largest residue move divided by the move that the skin allows
};

/// One collective reduction: the worst outcome of any rank and the largest move of any residue.
template <class Precision>
BlockEnd reduce_block_end(const StepParts<Precision>& parts) {
  constexpr std::int64_t outcome_unit = 10'000'000;  // moves are below it
  const auto marks = parts.marks.download();
  const auto mine = marks[StepMarks::moved] != 0      ? Outcome::moved
                    : marks[StepMarks::exploded] != 0 ? Outcome::exploded
                                                      : Outcome::good;
  const double limit = 0.5 * parts.lists.skin_nm();
  const auto thousandths =
      static_cast<std::int64_t>(std::min(1e6, 1e3 * parts.largest_move_nm() / limit));
  const auto worst =
      parts.communicator.max(static_cast<std::int64_t>(mine) * outcome_unit + thousandths);
  return {static_cast<Outcome>(worst / outcome_unit),
          1e-3 * static_cast<double>(worst % outcome_unit)};
}

/// careful: rebuilds lists after each drift, independent of the residue moves.
template <class Precision>
BlockEnd run_block(StepParts<Precision>& parts, std::int64_t steps, bool careful) {
  // A single CPU rank rebuilds lists before the next forces if a residue moved too far.
  const bool rebuilds_on_moves =
      device::on_host && parts.communicator.size() == 1 && parts.settings.rebuild_every == 0;
  parts.marks.clear();
  parts.ensure_forces();
  for (std::int64_t i = 0; i < steps; ++i) {
    const telemetry::StepSpan span(parts.step);
    launch_in_order(StepTask{"integrate", true,
                             [&] {
                               parts.integrate(i == 0 ? Kicks::first : Kicks::both,
                                               parts.this_step());
                               ++parts.step;
                             }},
                    StepTask{"lists", careful || rebuilds_on_moves,
                             [&] {
                               if (!careful && parts.marks.element(StepMarks::moved) == 0) return;
                               parts.marks.clear(StepMarks::moved);
                               parts.rebuild();
                             }},
                    StepTask{"forces", true, [&] { parts.compute_forces(); }});
  }
  parts.integrate(Kicks::last, parts.this_step());
  device::fence();
  return reduce_block_end(parts);
}

}  // namespace

template <class Precision>
void advance_by_host(StepParts<Precision>& parts, std::int64_t target) {
  bool step_by_step = false;  // searching for the step that explodes
  bool careful = false;       // a single step from fresh lists moved a residue too far
  while (parts.step < target) {
    if (!parts.lists_are_current || parts.lists.are_due()) parts.rebuild();
    const std::int64_t block =
        step_by_step || careful ? 1 : parts.lists.next_block_steps(target - parts.step);
    parts.state.save();
    const std::int64_t start = parts.step;
    const bool lists_were_fresh = parts.lists.are_fresh();
    const auto [outcome, moved_fraction] = run_block(parts, block, careful);
    if (outcome == Outcome::good) {
      careful = false;
      parts.lists.record_valid(block, moved_fraction);
      continue;
    }
    parts.lists.record_invalid(block);
    parts.restore(0, start);
    ++parts.replayed_blocks;
    if (outcome == Outcome::exploded) {
      if (block == 1) report_explosion(parts);
      step_by_step = true;
    } else {
      careful = block == 1 && lists_were_fresh;
    }
  }
}

template void advance_by_host(StepParts<kernels::Mixed>&, std::int64_t);
template void advance_by_host(StepParts<kernels::Full>&, std::int64_t);

}  // namespace nfold::engine
