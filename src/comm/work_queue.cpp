// Ticket counter, record of drawn tickets, and first tickets of ranks.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/work_queue.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>

namespace nfold::comm {
namespace {

constexpr std::chrono::milliseconds poll_interval{2};

// Indices: counter of tickets beyond the first ones of ranks, flag of a closed queue, number of
// withdrawn ranks, and two integers for each ticket for one decision: the rank that drew it (+ 1),
// or nobody.
constexpr std::int64_t counter = 0, closed = 1, withdrawn = 2, board = 3;
/// Decision on a ticket that is drawn too late: other ranks have waited in vain and left.
constexpr std::int64_t nobody = -1;

std::int64_t decision_on(std::int64_t ticket) { return board + 2 * ticket; }
std::int64_t drawn_by(std::int64_t ticket) { return decision_on(ticket) + 1; }

std::vector<std::int64_t> first_tickets(const std::vector<int>& ranks_per_item, int ranks) {
  std::vector<std::int64_t> first{0};
  first.reserve(ranks_per_item.size() + 1);
  for (const int count : ranks_per_item) {
    if (count < 1 || count > ranks) {
      throw std::invalid_argument(fmt::format("an item for {} of {} ranks", count, ranks));
    }
    first.push_back(first.back() + count);
  }
  return first;
}

/// Returns the free ranks of the smallest node that fits `wanted`, else of the node with most free
/// ranks; null if no rank is free.
std::vector<int>* best_node(std::map<int, std::vector<int>>& free_of, std::size_t wanted) {
  std::vector<int>* best = nullptr;
  for (auto& [node, ranks] : free_of) {
    if (ranks.empty()) continue;
    const bool fits = ranks.size() >= wanted;
    const bool best_fits = best != nullptr && best->size() >= wanted;
    const bool is_better = best == nullptr || (fits && !best_fits) ||
                           (fits && best_fits && ranks.size() < best->size()) ||
                           (!fits && !best_fits && ranks.size() > best->size());
    if (is_better) best = &ranks;
  }
  return best;
}

}  // namespace

std::vector<std::int64_t> first_tickets_by_node(const std::vector<int>& ranks_per_item,
                                                std::span<const int> nodes) {
  std::map<int, std::vector<int>> free_of;  // by node, last rank first
  for (int rank = static_cast<int>(nodes.size()) - 1; rank >= 0; --rank) {
    free_of[nodes[static_cast<std::size_t>(rank)]].push_back(rank);
  }
  std::vector<std::int64_t> tickets(nodes.size(), 0);
  std::int64_t next = 0;
  const auto give_out = [&](std::size_t wanted) {
    while (wanted > 0) {
      auto* const ranks = best_node(free_of, wanted);
      if (ranks == nullptr) return;
      for (; wanted > 0 && !ranks->empty(); --wanted) {
        tickets[static_cast<std::size_t>(ranks->back())] = next++;
        ranks->pop_back();
      }
    }
  };
  for (const int wanted : ranks_per_item) give_out(static_cast<std::size_t>(wanted));
  give_out(nodes.size());  // ranks without a first item get a ticket beyond the last
  return tickets;
}

WorkQueue::WorkQueue(const Communicator& communicator, const std::vector<int>& ranks_per_item,
                     std::span<const int> nodes)
    : communicator_(communicator),
      first_ticket_(first_tickets(ranks_per_item, communicator.size())),
      own_first_(first_tickets_by_node(ranks_per_item,
                                       nodes)[static_cast<std::size_t>(communicator.rank())]),
      shared_(communicator, decision_on(first_ticket_.back())) {}

std::int64_t WorkQueue::draw_ticket() {
  if (own_first_) return *std::exchange(own_first_, std::nullopt);
  return communicator_.size() + shared_.add(counter, 1);
}

std::optional<Draw> WorkQueue::next(const std::function<bool()>& should_stop) {
  const std::int64_t ticket = draw_ticket();
  if (ticket >= first_ticket_.back() || shared_.read(closed) != 0) return std::nullopt;
  const auto above = std::upper_bound(first_ticket_.begin(), first_ticket_.end(), ticket);
  const auto item = static_cast<std::int64_t>(above - first_ticket_.begin()) - 1;
  const auto k = static_cast<std::size_t>(item);
  if (first_ticket_[k + 1] - first_ticket_[k] == 1) return Draw{item, Communicator(), true};
  return join(ticket, item, should_stop);
}

std::optional<Draw> WorkQueue::join(std::int64_t ticket, std::int64_t item,
                                    const std::function<bool()>& should_stop) {
  const auto k = static_cast<std::size_t>(item);
  // The ticket was decided as nobody: ranks gave up, since the queue is closed or too few ranks are
  // left.
  const auto without_group = [&] {
    return shared_.read(closed) != 0 ? std::nullopt : std::optional(Draw{item, {}, false});
  };
  if (shared_.decide(decision_on(ticket), communicator_.rank() + 1) == nobody) {
    return without_group();
  }
  const auto wanted = first_ticket_[k + 1] - first_ticket_[k];
  std::vector<int> members;
  for (std::int64_t t = first_ticket_[k]; t < first_ticket_[k + 1]; ++t) {
    std::int64_t who = 0;
    while ((who = shared_.read(drawn_by(t))) == 0) {
      const bool lacks_ranks = wanted > communicator_.size() - shared_.read(withdrawn);
      if (lacks_ranks || shared_.read(closed) != 0) {
        who = shared_.decide(decision_on(t), nobody);
        break;
      }
      if (should_stop()) close();
      std::this_thread::sleep_for(poll_interval);
    }
    if (who == nobody) return without_group();
    members.push_back(static_cast<int>(who) - 1);
  }
  return Draw{item, communicator_.group(members, static_cast<int>(item % 32'000)), true};
}

void WorkQueue::withdraw() { (void)shared_.add(withdrawn, 1); }

void WorkQueue::close() { shared_.put(closed, 1); }

}  // namespace nfold::comm
