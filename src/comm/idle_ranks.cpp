// States of idle, claimed and invited ranks in shared memory of rank 0.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/idle_ranks.hpp"

#include <algorithm>
#include <thread>

namespace nfold::comm {
namespace {

/// Indices of the number of busy or claimed ranks and of the number of idle ranks. The values of
/// each rank follow, kind by kind.
constexpr std::int64_t at_work = 0, idle_count = 1, of_ranks = 2;
/// Values of each rank: its state; the number of ranks that are claiming it; the first member of
/// the group that it is invited to; the member after it in that group (rank + 1; 0: none); and the
/// estimate of its own work (OpenWork).
enum Kind : std::int64_t {
  state,
  claims,
  first_member,
  next_member,
  rest,
  ranks_now,
  ranks_at_most,
  kinds
};

enum State : std::int64_t { busy, idle_now, claimed_by_one, invited };  // invited + item

/// Keeps the polls of all idle ranks together below a few thousand per second.
std::chrono::milliseconds pause_of(int ranks) {
  constexpr std::chrono::milliseconds shortest{10}, longest{500};
  return std::clamp(std::chrono::milliseconds(ranks / 4), shortest, longest);
}

}  // namespace

IdleRanks::IdleRanks(const Communicator& communicator)
    : rank_(communicator.rank()),
      ranks_(communicator.size()),
      shared_(communicator, of_ranks + kinds * communicator.size()) {
  (void)shared_.add(at_work, 1);
  communicator.barrier();  // no rank may leave before all are counted
}

std::int64_t IdleRanks::index_of(std::int64_t kind, int rank) const {
  return of_ranks + kind * ranks_ + rank;
}

std::optional<Invitation> IdleRanks::wait() {
  publish_no_work();
  // This order lets a claimer add this rank to at_work before the rank itself is subtracted.
  shared_.put(index_of(state, rank_), idle_now);
  (void)shared_.add(idle_count, 1);
  (void)shared_.add(at_work, -1);
  for (;;) {
    const auto now = shared_.read(index_of(state, rank_));
    if (now >= invited) {
      Invitation invitation{now - invited, {}};
      for (auto member = shared_.read(index_of(first_member, rank_)); member != 0;
           member = shared_.read(index_of(next_member, static_cast<int>(member) - 1))) {
        invitation.members.push_back(static_cast<int>(member) - 1);
      }
      shared_.put(index_of(state, rank_), busy);
      return invitation;
    }
    // Only busy ranks claim others, so a count of 0 is final.
    if (now == idle_now && shared_.read(at_work) == 0) return std::nullopt;
    std::this_thread::sleep_for(pause_of(ranks_));
  }
}

void IdleRanks::leave() {
  publish_no_work();
  (void)shared_.add(at_work, -1);
}

std::vector<int> IdleRanks::idle() const {
  std::vector<int> ranks;
  if (shared_.read(idle_count) == 0) return ranks;
  const auto states = shared_.read(index_of(state, 0), ranks_);
  for (int rank = 0; rank < ranks_; ++rank) {
    if (states[static_cast<std::size_t>(rank)] == idle_now) ranks.push_back(rank);
  }
  return ranks;
}

std::vector<int> IdleRanks::claim(std::span<const int> wanted) {
  std::vector<int> claimed;
  for (const int rank : wanted) {
    (void)shared_.add(at_work, 1);
    // If two ranks claim at once, at least one of them skips this rank for now.
    const bool is_first = shared_.add(index_of(claims, rank), 1) == 0;
    if (is_first && shared_.read(index_of(state, rank)) == idle_now) {
      shared_.put(index_of(state, rank), claimed_by_one);
      (void)shared_.add(idle_count, -1);
      claimed.push_back(rank);
    } else {
      (void)shared_.add(at_work, -1);
    }
    (void)shared_.add(index_of(claims, rank), -1);
  }
  return claimed;
}

void IdleRanks::release(std::span<const int> claimed) {
  for (const int rank : claimed) {
    shared_.put(index_of(state, rank), idle_now);
    (void)shared_.add(idle_count, 1);
    (void)shared_.add(at_work, -1);
  }
}

void IdleRanks::invite(std::span<const int> claimed, std::int64_t item,
                       std::span<const int> members) {
  for (std::size_t k = 0; k < members.size(); ++k) {
    shared_.put(index_of(next_member, members[k]), k + 1 < members.size() ? members[k + 1] + 1 : 0);
  }
  for (const int rank : claimed) {
    shared_.put(index_of(first_member, rank), members[0] + 1);
    shared_.put(index_of(state, rank), invited + item);
  }
}

void IdleRanks::publish_work(const OpenWork& work) {
  shared_.put(index_of(ranks_now, rank_), work.ranks);
  shared_.put(index_of(ranks_at_most, rank_), work.most_ranks);
  shared_.put(index_of(rest, rank_), work.remaining_milliseconds);
}

std::vector<OpenWork> IdleRanks::published_work() const {
  const auto words = shared_.read(index_of(rest, 0), std::int64_t{3} * ranks_);
  std::vector<OpenWork> work(static_cast<std::size_t>(ranks_));
  for (std::size_t rank = 0; rank < work.size(); ++rank) {
    work[rank] = {words[rank], static_cast<int>(words[rank + work.size()]),
                  static_cast<int>(words[rank + 2 * work.size()])};
  }
  return work;
}

}  // namespace nfold::comm
