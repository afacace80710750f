// Attribution of failures, and agreement on live ranks and remaining targets.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/withdrawal.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "batch/rank_lines.hpp"
#include "comm/rank_record.hpp"
#include "core/status/incident_line.hpp"
#include "device/device_test.hpp"
#include "session/job/failure.hpp"

namespace nfold::batch {
namespace {

/// Communicator tags of live groups. Lower tags belong to groups of the queue.
constexpr int first_tag = 32'000, tags = 700;

bool is_of_mpi(const std::exception& failure) {
  return dynamic_cast<const comm::CommunicationError*>(&failure) != nullptr;
}

}  // namespace

bool is_target_fault(const std::exception& failure, const comm::Communicator& group) {
  return group.size() > 1 ? job::to_failure(failure).is_collective() : !is_of_mpi(failure);
}

std::optional<core::Failure> find_device_failure(const std::exception& failure,
                                                 const comm::Communicator& group) {
  const auto known = job::to_failure(failure);
  if (known.suspect()) return known;
  const bool is_of_this_rank = group.size() == 1 && !is_of_mpi(failure);
  if (!is_of_this_rank || known.is_collective() || device::device_computes()) {
    return std::nullopt;
  }
  return core::Failure(known.what(), core::Outcome::failure, core::Reach::one_rank,
                       comm::own_suspect());
}

std::string describe_withdrawal(const core::Failure& device_failure) {
  return fmt::format("rank {} withdrew: {}", status::describe_suspect(*device_failure.suspect()),
                     device_failure.what());
}

void append_incident(const std::filesystem::path& file, const std::string& target,
                     const core::Failure& device_failure) {
  status::append_incident(file, device_failure.outcome(), {{"target", target}},
                          device_failure.suspect(), device_failure.what());
}

Withdrawals::Withdrawals(const comm::Communicator& same_backend)
    : same_backend_(same_backend), live_(same_backend) {
  for (int rank = 0; rank < same_backend.size(); ++rank) live_ranks_.push_back(rank);
}

void Withdrawals::withdraw(const core::Failure& device_failure) {
  if (!own_) own_ = device_failure;
}

void Withdrawals::hand_back(std::size_t target, bool is_blamed) {
  handed_back_.push_back(2 * static_cast<std::int64_t>(target) + (is_blamed ? 1 : 0));
}

std::vector<std::size_t> Withdrawals::agree() {
  const std::int64_t alive = has_withdrawn() ? 0 : 1;
  const auto all_alive = same_backend_.all_gather(std::span<const std::int64_t>(&alive, 1));
  const auto before = live_ranks_.size();
  live_ranks_.clear();
  for (int rank = 0; rank < same_backend_.size(); ++rank) {
    if (all_alive[static_cast<std::size_t>(rank)] != 0) live_ranks_.push_back(rank);
  }
  const int tag = first_tag + agreements_++ % tags;
  if (has_withdrawn()) {
    live_ = comm::Communicator();
  } else if (live_ranks_.size() != before) {
    live_ = same_backend_.group(live_ranks_, tag);
  }
  std::set<std::size_t> targets;
  for (const auto one : same_backend_.all_gather(std::span<const std::int64_t>(handed_back_))) {
    const auto target = static_cast<std::size_t>(one / 2);
    targets.insert(target);
    if (one % 2 != 0) blamed_.insert(target);
  }
  handed_back_.clear();
  return {targets.begin(), targets.end()};
}

bool Withdrawals::is_first_live() const {
  return !live_ranks_.empty() && live_ranks_.front() == same_backend_.rank();
}

std::vector<core::Failure> Withdrawals::gather(const comm::Communicator& world) const {
  using Json = nlohmann::json;
  std::string mine;
  if (own_) {
    const auto& suspect = *own_->suspect();
    const Json fields{*suspect.rank, suspect.host, suspect.device, own_->outcome(), own_->what()};
    mine = fields.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  std::vector<core::Failure> withdrawn;
  for (const auto& line : all_gather_lines(world, mine)) {
    const auto fields = Json::parse(line);
    withdrawn.emplace_back(fields.at(4).get<std::string>(), fields.at(3).get<core::Outcome>(),
                           core::Reach::one_rank,
                           core::Suspect{fields.at(0).get<int>(), fields.at(1).get<std::string>(),
                                         fields.at(2).get<std::string>()});
  }
  return withdrawn;
}

}  // namespace nfold::batch
