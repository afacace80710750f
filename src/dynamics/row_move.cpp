// Packed on the device, sent rank by rank, placed on the device.
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/row_move.hpp"

#include "device/launch.hpp"
#include "kernels/loops/moved_rows.hpp"

namespace nfold::dynamics {
namespace {

using kernels::MovedRow;

template <class T>
std::vector<T> joined(const std::vector<std::vector<T>>& parts) {
  std::vector<T> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class Precision>
std::vector<std::vector<MovedRow>> packed(const RowMove& move,
                                          const ResidueState<Precision>& state) {
  const auto rows = joined(move.leaving);
  const auto count = static_cast<int>(rows.size());
  device::DeviceArray<int> row("moving.row");
  device::DeviceArray<MovedRow> buffer("moving.leaving");
  row.upload(rows);
  buffer.reserve(count);
  device::launch("pack moved rows", count,
                 kernels::PackMovedRows{row.data(), state.position.read(), state.velocity.read(),
                                        buffer.data()});
  device::fence();
  const auto all = buffer.download(count);
  std::vector<std::vector<MovedRow>> parts;
  auto at = all.begin();
  for (const auto& part : move.leaving) {
    const auto end = at + static_cast<std::ptrdiff_t>(part.size());
    parts.emplace_back(at, end);
    at = end;
  }
  return parts;
}

}  // namespace

RowMove row_move(const domain::Ownership& before, const domain::Ownership& after, int rank,
                 int rank_count) {
  RowMove move;
  move.leaving.resize(static_cast<std::size_t>(rank_count));
  std::vector<int> coming(static_cast<std::size_t>(rank_count), 0);
  for (std::size_t id = 0; id < after.size(); ++id) {
    if (after[id] == rank && before[id] != rank) ++coming[static_cast<std::size_t>(before[id])];
  }
  // Each rank's rows come by ascending id.
  std::vector<int> next;
  int place = 0;
  for (const int count : coming) {
    next.push_back(place);
    place += count;
  }
  int old_row = 0;
  for (std::size_t id = 0; id < after.size(); ++id) {
    if (before[id] == rank) {
      if (after[id] == rank) {
        move.source.push_back(old_row);
      } else {
        move.leaving[static_cast<std::size_t>(after[id])].push_back(old_row);
      }
      ++old_row;
    } else if (after[id] == rank) {
      move.source.push_back(-1 - next[static_cast<std::size_t>(before[id])]++);
    }
  }
  return move;
}

template <class Precision>
void move_rows(const comm::Communicator& communicator, const RowMove& move,
               ResidueState<Precision>& state) {
  const auto came = joined(communicator.all_to_all(packed(move, state)));
  const auto owned = static_cast<int>(move.source.size());
  const auto rows = static_cast<std::int64_t>(kernels::padded(owned));
  auto& position = state.saved_position.front();
  auto& velocity = state.saved_velocity.front();
  device::reserve_anew(position, rows);
  device::reserve_anew(velocity, rows);
  device::DeviceArray<int> source("moving.source");
  device::DeviceArray<MovedRow> arrived("moving.came");
  source.upload(move.source);
  arrived.upload(came);
  device::launch(
      "place moved rows", static_cast<int>(rows),
      kernels::PlaceMovedRows{source.data(), owned, arrived.data(), state.position.read(),
                              state.velocity.read(), position.view(), velocity.view()});
  device::fence();
  device::reserve_anew(state.position, rows);
  device::reserve_anew(state.velocity, rows);
  state.position.copy_from(position, rows);
  state.velocity.copy_from(velocity, rows);
  state.owned = owned;
}

template void move_rows(const comm::Communicator&, const RowMove&, ResidueState<kernels::Mixed>&);
template void move_rows(const comm::Communicator&, const RowMove&, ResidueState<kernels::Full>&);

}  // namespace nfold::dynamics
