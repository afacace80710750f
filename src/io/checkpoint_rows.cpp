// Checks, exchanges and sorts the rows of a checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "comm/messages.hpp"
#include "comm/waiting.hpp"
#include "storage/file_error.hpp"

namespace nfold::io::checkpoint_rows {

using storage::FileError;

namespace {

std::size_t index(std::int64_t n) { return static_cast<std::size_t>(n); }

/// Where the rows that go to each rank begin, and the end.
std::vector<std::size_t> parts_of(const std::vector<int>& id, std::int64_t rows, int ranks) {
  std::vector<std::size_t> first;
  for (int rank = 0; rank <= ranks; ++rank) {
    const auto at = std::lower_bound(id.begin(), id.end(), first_row(rows, rank, ranks));
    first.push_back(index(at - id.begin()));
  }
  return first;
}

template <class T>
void make_room(std::vector<T>& values, std::size_t count) {
  if (values.size() != count) values.resize(count);
}

/// The same part of each column.
template <class Visit>
void for_each_column(system::State& state, const Visit& visit) {
  visit(state.id);
  visit(state.position);
  visit(state.velocity);
}

}  // namespace

std::int64_t first_row(std::int64_t rows, int rank, int ranks) {
  return rows / ranks * rank + std::min<std::int64_t>(rank, rows % ranks);
}

void require_rows(const system::State& mine, std::int64_t rows) {
  if (mine.position.size() != mine.id.size() || mine.velocity.size() != mine.id.size()) {
    throw FileError(fmt::format("checkpoint: {} ids, {} positions and {} velocities on one rank",
                                mine.id.size(), mine.position.size(), mine.velocity.size()));
  }
  if (mine.id.empty()) return;
  const auto disorder = std::ranges::adjacent_find(mine.id, std::ranges::greater_equal());
  if (disorder != mine.id.end()) {
    throw FileError(fmt::format("checkpoint: residue id {} comes behind {} on one rank",
                                *(disorder + 1), *disorder));
  }
  for (const int id : {mine.id.front(), mine.id.back()}) {
    if (id >= 0 && id < rows) continue;
    throw FileError(fmt::format("checkpoint: residue id {} of {} residues", id, rows));
  }
}

system::State room_for_block(std::int64_t rows, int rank, int ranks) {
  system::State room;
  const auto count = index(first_row(rows, rank + 1, ranks) - first_row(rows, rank, ranks));
  for_each_column(room, [count](auto& column) { column.resize(count); });
  return room;
}

system::State exchange(const comm::Communicator& communicator, std::int64_t rows,
                       system::State mine, system::State room) {
  const int ranks = communicator.size(), rank = communicator.rank();
  if (ranks == 1) return mine;
  const comm::Waiting waiting("an exchange of rows between all ranks");
  const auto sends_from = parts_of(mine.id, rows, ranks);
  std::vector<std::vector<std::int64_t>> counts;
  for (std::size_t to = 0; to < index(ranks); ++to) {
    counts.push_back({static_cast<std::int64_t>(sends_from[to + 1] - sends_from[to])});
  }
  const auto coming = communicator.all_to_all(counts);
  std::vector<std::size_t> receives_at(index(ranks) + 1, 0);
  for (std::size_t from = 0; from < index(ranks); ++from) {
    receives_at[from + 1] = receives_at[from] + index(coming[from].at(0));
  }
  for_each_column(room, [&](auto& column) { make_room(column, receives_at.back()); });

  comm::Messages messages(*communicator.handle(), comm::MessageTag::collective);
  const auto each_peer = [&](const auto& visit) {
    for (int step = 1; step < ranks; ++step) visit((rank + step) % ranks);
  };
  each_peer([&](int from) {
    const auto at = receives_at[index(from)], end = receives_at[index(from) + 1];
    for_each_column(room, [&](auto& column) {
      const auto part = std::as_writable_bytes(std::span(column).subspan(at, end - at));
      messages.receive(part.data(), part.size(), from);
    });
  });
  each_peer([&](int to) {
    const auto at = sends_from[index(to)], end = sends_from[index(to) + 1];
    for_each_column(mine, [&](auto& column) {
      const auto part = std::as_bytes(std::span(column).subspan(at, end - at));
      messages.send(part.data(), part.size(), to);
    });
  });
  const auto own = index(rank);
  const auto keep = [&](auto& to, const auto& from) {
    std::ranges::copy(
        std::span(from).subspan(sends_from[own], sends_from[own + 1] - sends_from[own]),
        to.begin() + static_cast<std::ptrdiff_t>(receives_at[own]));
  };
  keep(room.id, mine.id);
  keep(room.position, mine.position);
  keep(room.velocity, mine.velocity);
  messages.wait();
  return room;
}

Block in_order(system::State received, std::int64_t first, std::int64_t count) {
  std::vector<char> seen(index(count), 0);
  bool is_in_order = true;
  for (std::size_t at = 0; at < received.id.size(); ++at) {
    const auto place = index(received.id[at] - first);
    if (seen[place] != 0) {
      throw FileError(
          fmt::format("checkpoint: residue id {} came from two ranks", received.id[at]));
    }
    seen[place] = 1;
    is_in_order = is_in_order && place == at;
  }
  if (const auto missing = std::ranges::find(seen, char{0}); missing != seen.end()) {
    throw FileError(fmt::format("checkpoint: residue id {} came from no rank",
                                first + (missing - seen.begin())));
  }
  if (is_in_order) return {first, std::move(received.position), std::move(received.velocity)};
  Block block{first, {}, {}};
  // One column after another: memory is what there may be little of.
  const auto sort = [&](auto& from, auto& to) {
    to.resize(index(count));
    for (std::size_t at = 0; at < from.size(); ++at) to[index(received.id[at] - first)] = from[at];
    from = {};
  };
  sort(received.position, block.position);
  sort(received.velocity, block.velocity);
  return block;
}

}  // namespace nfold::io::checkpoint_rows
