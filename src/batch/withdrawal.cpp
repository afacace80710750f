// Agreement on live ranks and remaining targets, and incident lines.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/withdrawal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/status/incident_line.hpp"

namespace nfold::batch {
namespace {

/// Communicator tags of live groups. Lower tags belong to groups of the queue.
constexpr int first_tag = 32'000, tags = 700;

}  // namespace

std::string describe_withdrawal(const DeviceFailure& failure) {
  return fmt::format("rank {} withdrew: {}", status::describe_suspect(failure.suspect),
                     failure.reason);
}

void append_incident(const std::filesystem::path& file, const std::string& target,
                     const DeviceFailure& failure) {
  status::append_incident(file, failure.outcome, {{"target", target}}, failure.suspect,
                          failure.reason);
}

Withdrawals::Withdrawals(const comm::Communicator& alike) : alike_(alike), live_(alike) {
  for (int rank = 0; rank < alike.size(); ++rank) live_ranks_.push_back(rank);
}

void Withdrawals::withdraw(const DeviceFailure& failure) {
  if (!own_) own_ = failure;
}

void Withdrawals::hand_back(std::size_t target, bool is_blamed) {
  handed_back_.push_back(2 * static_cast<std::int64_t>(target) + (is_blamed ? 1 : 0));
}

bool Withdrawals::was_blamed(std::size_t target) const { return blamed_.contains(target); }

std::vector<std::size_t> Withdrawals::agree() {
  const std::int64_t alive = has_withdrawn() ? 0 : 1;
  const auto all_alive = alike_.all_gather(std::span<const std::int64_t>(&alive, 1));
  const auto before = live_ranks_.size();
  live_ranks_.clear();
  for (int rank = 0; rank < alike_.size(); ++rank) {
    if (all_alive[static_cast<std::size_t>(rank)] != 0) live_ranks_.push_back(rank);
  }
  const int tag = first_tag + agreements_++ % tags;
  if (has_withdrawn()) {
    live_ = comm::Communicator();
  } else if (live_ranks_.size() != before) {
    live_ = alike_.group(live_ranks_, tag);
  }
  std::vector<std::size_t> targets;
  for (const auto one : alike_.all_gather(std::span<const std::int64_t>(handed_back_))) {
    const auto target = static_cast<std::size_t>(one / 2);
    targets.push_back(target);
    if (one % 2 != 0) blamed_.insert(target);
  }
  handed_back_.clear();
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

bool Withdrawals::is_first_live() const {
  return !live_ranks_.empty() && live_ranks_.front() == alike_.rank();
}

std::vector<DeviceFailure> Withdrawals::of_all(const comm::Communicator& world) const {
  std::string mine;
  if (own_) {
    const auto& suspect = own_->suspect;
    mine = nlohmann::json{*suspect.rank, suspect.host, suspect.device, own_->outcome, own_->reason}
               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
           "\n";
  }
  const auto all = world.all_gather(std::span<const char>(mine.data(), mine.size()));
  std::vector<DeviceFailure> withdrawn;
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end = std::find(begin, all.end(), '\n');
    const auto one = nlohmann::json::parse(begin, end);
    DeviceFailure rank;
    rank.suspect.rank = one.at(0).get<int>();
    one.at(1).get_to(rank.suspect.host);
    one.at(2).get_to(rank.suspect.device);
    one.at(3).get_to(rank.outcome);
    one.at(4).get_to(rank.reason);
    withdrawn.push_back(std::move(rank));
    begin = end + 1;
  }
  return withdrawn;
}

}  // namespace nfold::batch
