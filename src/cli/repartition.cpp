// Gathers the positions of all ranks and weighs a new map against the present one.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/repartition.hpp"

#include <fmt/core.h>

#include <span>
#include <utility>
#include <vector>

#include "cli/system_setup.hpp"
#include "domain/counted_work.hpp"

namespace nfold::cli {
namespace {

constexpr double least_gain = 1.1;  // of the busiest rank's work; less does not pay for the move

struct Row {
  std::int32_t id = 0, rank = 0;
  system::FixedPosition position{};
};

}  // namespace

Repartition::Repartition(const comm::Communicator& communicator, const config::Settings& settings,
                         const topology::Topology& topology, std::int64_t first_step)
    : communicator_(communicator),
      settings_(settings),
      topology_(topology),
      every_(settings.partition.rebalance_every_steps) {
  if (communicator.size() == 1 || !is_by_space(settings.partition.method, topology)) every_ = 0;
  next_ = first_step + every_;
}

std::string Repartition::serve(dynamics::Engine& engine) {
  if (every_ == 0 || engine.step() < next_) return "";
  next_ = engine.step() + every_;
  return share_out(engine);
}

std::string Repartition::share_out(dynamics::Engine& engine) const {
  const auto mine = engine.owned_state();
  std::vector<Row> rows;
  rows.reserve(mine.id.size());
  for (std::size_t i = 0; i < mine.id.size(); ++i) {
    rows.push_back({mine.id[i], communicator_.rank(), mine.position[i]});
  }
  system::State all;
  all.position.resize(topology_.residues.size());
  domain::Ownership owner(topology_.residues.size());
  for (const Row& row : communicator_.all_gather(std::span<const Row>(rows))) {
    all.position[static_cast<std::size_t>(row.id)] = row.position;
    owner[static_cast<std::size_t>(row.id)] = row.rank;
  }
  const int ranks = communicator_.size();
  const auto work = domain::counted_work(topology_, all.position, typical_skin_nm);
  auto candidate = owners(settings_, topology_, all, ranks);
  const double now = domain::balance_of(work, owner, ranks),
               then = domain::balance_of(work, candidate, ranks);
  if (now < least_gain * then) {
    return fmt::format("step {}: the busiest rank has {:.2f} of the mean work, and keeps it",
                       engine.step(), now);
  }
  engine.set_owner(std::move(candidate));
  return fmt::format(
      "step {}: shared out anew, the busiest rank had {:.2f} of the mean work, now "
      "{:.2f}",
      engine.step(), now, then);
}

}  // namespace nfold::cli
