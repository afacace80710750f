// Checks, exchange and sorting of the rows of a checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "comm/messages.hpp"
#include "comm/waiting.hpp"
#include "core/storage/file_error.hpp"

namespace nfold::io::checkpoint_rows {

using storage::FileError;

namespace {

std::size_t index(std::int64_t n) { return static_cast<std::size_t>(n); }

/// A range of indices into rows that are sorted by id.
struct Part {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t count() const { return end - begin; }
};

/// Returns the range of rows that belong to each rank's piece, (ranks).
std::vector<Part> piece_ranges(const std::vector<int>& id, const Layout& layout, int piece,
                               int ranks) {
  const auto find_index = [&](std::int64_t row) {
    return index(std::lower_bound(id.begin(), id.end(), row) - id.begin());
  };
  std::vector<Part> parts;
  parts.reserve(index(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    parts.push_back(
        {find_index(layout.first_row(rank, piece)), find_index(layout.first_row(rank, piece + 1))});
  }
  return parts;
}

/// Calls visit(column) for each column.
template <class SomeState, class Visit>
void for_each_column(SomeState& state, const Visit& visit) {
  visit(state.id);
  visit(state.position);
  visit(state.velocity);
}

}  // namespace

std::int64_t Layout::first_of_block(int rank) const {
  return rows_ / ranks_ * rank + std::min<std::int64_t>(rank, rows_ % ranks_);
}

int Layout::pieces() const {
  const auto most = first_of_block(1);
  return static_cast<int>(
      std::max<std::int64_t>(1, (most + rows_at_a_time_ - 1) / rows_at_a_time_));
}

std::int64_t Layout::first_row(int rank, int piece) const {
  return std::min(first_of_block(rank) + piece * rows_at_a_time_, first_of_block(rank + 1));
}

void require_rows(const std::vector<int>& mine, std::int64_t rows) {
  if (mine.empty()) return;
  const auto disorder = std::ranges::adjacent_find(mine, std::ranges::greater_equal());
  if (disorder != mine.end()) {
    throw FileError(fmt::format("checkpoint: residue id {} comes behind {} on one rank",
                                *(disorder + 1), *disorder));
  }
  for (const int id : {mine.front(), mine.back()}) {
    if (id >= 0 && id < rows) continue;
    throw FileError(fmt::format("checkpoint: residue id {} of {} residues", id, rows));
  }
}

system::State select_rows(const system::StateSource& mine, const Layout& layout, int piece,
                          int ranks) {
  const auto parts = piece_ranges(mine.id, layout, piece, ranks);
  std::size_t count = 0;
  for (const Part& part : parts) count += part.count();
  system::State rows;
  for_each_column(rows, [count](auto& column) { column.reserve(count); });
  for (const Part& part : parts) mine.append_to(rows, part.begin, part.end);
  return rows;
}

system::State make_row_buffer(std::int64_t count) {
  system::State buffer;
  for_each_column(buffer, [count](auto& column) { column.resize(index(count)); });
  return buffer;
}

system::State exchange(const comm::Communicator& communicator, const Layout& layout, int piece,
                       const system::State& mine, system::State buffer) {
  const int ranks = communicator.size(), rank = communicator.rank();
  const comm::Waiting waiting("an exchange of rows between all ranks");
  const auto sent = piece_ranges(mine.id, layout, piece, ranks);
  std::vector<std::vector<std::int64_t>> counts;
  counts.reserve(sent.size());
  for (const Part& part : sent) counts.push_back({static_cast<std::int64_t>(part.count())});
  const auto coming = communicator.all_to_all(counts);
  std::vector<std::size_t> receives_at(index(ranks) + 1, 0);
  for (std::size_t from = 0; from < index(ranks); ++from) {
    receives_at[from + 1] = receives_at[from] + index(coming[from].at(0));
  }
  for_each_column(buffer, [&](auto& column) { column.resize(receives_at.back()); });

  comm::Messages messages(*communicator.handle(), comm::MessageTag::collective);
  const auto each_peer = [&](const auto& visit) {
    for (int step = 1; step < ranks; ++step) visit((rank + step) % ranks);
  };
  each_peer([&](int from) {
    const auto at = receives_at[index(from)], end = receives_at[index(from) + 1];
    for_each_column(buffer, [&](auto& column) {
      const auto part = std::as_writable_bytes(std::span(column).subspan(at, end - at));
      messages.receive(part.data(), part.size(), from);
    });
  });
  each_peer([&](int to) {
    for_each_column(mine, [&, to](const auto& column) {
      const auto part =
          std::as_bytes(std::span(column).subspan(sent[index(to)].begin, sent[index(to)].count()));
      messages.send(part.data(), part.size(), to);
    });
  });
  const Part& own_rows = sent[index(rank)];
  const auto keep = [&](auto& to, const auto& from) {
    std::ranges::copy(std::span(from).subspan(own_rows.begin, own_rows.count()),
                      to.begin() + static_cast<std::ptrdiff_t>(receives_at[index(rank)]));
  };
  keep(buffer.id, mine.id);
  keep(buffer.position, mine.position);
  keep(buffer.velocity, mine.velocity);
  messages.wait();
  return buffer;
}

Block sort_rows(system::State received, std::int64_t first, std::int64_t count) {
  std::vector<char> seen(index(count), 0);
  bool is_in_order = true;
  for (std::size_t at = 0; at < received.id.size(); ++at) {
    const auto row = index(received.id[at] - first);
    if (seen[row] != 0) {
      throw FileError(
          fmt::format("checkpoint: residue id {} came from two ranks", received.id[at]));
    }
    seen[row] = 1;
    is_in_order = is_in_order && row == at;
  }
  if (const auto missing = std::ranges::find(seen, char{0}); missing != seen.end()) {
    throw FileError(fmt::format("checkpoint: residue id {} came from no rank",
                                first + (missing - seen.begin())));
  }
  if (is_in_order) return {first, std::move(received.position), std::move(received.velocity)};
  Block block{first, {}, {}};
  // Columns are sorted one after another, because memory may be scarce.
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
