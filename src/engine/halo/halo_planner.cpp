// Halo plan: mark cells, exchange them with near ranks, select rows, send ids.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/halo/halo_planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nfold::halo {
namespace {

template <class T>
void clear(T* words, int n) {
  device::launch("clear", n, kernels::ClearWords<T>{words});
}

/// Sends consecutive parts of a buffer to peers and receives others; counts by peer, in elements.
template <class T>
comm::HaloTransport start_exchange(const comm::Communicator& communicator,
                                   const std::vector<int>& peers, const T* send,
                                   const std::vector<int>& sent, T* receive,
                                   const std::vector<int>& received) {
  std::vector<comm::Route> routes;
  std::size_t send_offset = 0, receive_offset = 0;
  for (std::size_t k = 0; k < peers.size(); ++k) {
    const std::size_t out = sizeof(T) * static_cast<std::size_t>(sent[k]);
    const std::size_t in = sizeof(T) * static_cast<std::size_t>(received[k]);
    routes.push_back({peers[k], send_offset, out, receive_offset, in});
    send_offset += out;
    receive_offset += in;
  }
  comm::HaloTransport transport(communicator, std::move(routes));
  transport.start(reinterpret_cast<const std::byte*>(send), reinterpret_cast<std::byte*>(receive));
  return transport;
}

/// Converts the output of kernels::MarkLayers to HaloMarks.
void append_marks(const kernels::HaloGrid& grid, const std::uint32_t* word,
                  std::vector<char>& marks) {
  const int fast_offset = grid.cells[grid.slow_axis] + grid.cells[grid.middle_axis];
  for (int k = 0; k < fast_offset; ++k) marks.push_back(static_cast<char>(word[k]));
  for (int layer = 0; layer < grid.cells[grid.fast_axis]; ++layer) {
    const auto bit = static_cast<unsigned>(layer % kernels::HaloGrid::word_bits);
    const std::uint32_t bits = word[fast_offset + layer / kernels::HaloGrid::word_bits];
    marks.push_back(static_cast<char>(bits >> bit & 1U));
  }
}

}  // namespace

HaloPlanner::HaloPlanner(const comm::Communicator& communicator, const system::Box& box)
    : communicator_(communicator),
      box_(box),
      ranks_(communicator.size()),
      has_open_axis_(!box.is_periodic(0) || !box.is_periodic(1) || !box.is_periodic(2)) {}

void HaloPlanner::estimate(device::MemoryEstimate& estimate, const domain::RankCounts& counts,
                           const HaloRanges& ranges) {
  estimate.in("halo plan").count([&] {
    HaloPlanner planner({}, counts.box);
    planner.ranks_ = counts.ranks;
    planner.owned_ = static_cast<int>(counts.owned);
    planner.reserve(counts, ranges);
  });
}

/// Reserves all arrays for estimated counts.
void HaloPlanner::reserve(const domain::RankCounts& counts, const HaloRanges& ranges) {
  const auto& halo = counts.halo;
  reserve_fixed(counts.fixed_rows(), counts.charged);
  send_.reserve_fixed(ranks_, halo.sent_partners);
  receive_.reserve_fixed(ranks_, counts.partners);
  if (ranks_ == 1) return;
  extent_nm_ = counts.spread_nm;
  most_cells_ = most_halo_cells(counts.residues);
  set_layers(ranges);
  std::int64_t words_in_regions = 0;
  for (int k = 0; k < layers_; ++k) {
    layer_[k].reserve();
    words_in_regions += std::llround(halo.near_share * layer_[k].grid.words());
  }
  reserve_peers();
  // Each of a region's three axes has a table of its indices and of their inverse.
  constexpr std::int64_t indices_of_a_region = 512;
  index_table_.reserve(2 * halo.peers * layers_ * indices_of_a_region);
  reserve_words(words_in_regions, words_in_regions);
  device::grow_by_quarter(near_row_, halo.peers * row_words_);
  const std::int64_t other_sent = halo.sent - halo.sent_partners;
  device::grow_by_quarter(other_row_, other_sent);
  reserve_ids(other_sent, counts.other_ghosts);
  saved_position_.reserve(kernels::padded(owned_));
  device::grow_by_quarter(send_.row, halo.sent);
  device::grow_by_quarter(receive_.row, counts.partners + counts.other_ghosts);
  reserve_row_ids(counts.rows());
}

void HaloPlanner::Layer::reserve() {
  device::grow_by_quarter(bitmap, grid.words());
  mark.reserve(grid.layer_words());
}

void HaloPlanner::reserve_peers() {
  peer_.reserve(ranks_);
  region_.reserve(std::int64_t{ranks_} * layers_);
  near_first_.reserve(ranks_ + 1);
}

void HaloPlanner::reserve_words(std::int64_t sent, std::int64_t received) {
  sent_.reserve(sent);
  received_.reserve(received);
  device::grow_by_quarter(near_, sent);
}

/// Reserves both arrays of ids. Both get the larger size: a repartition may swap them.
void HaloPlanner::reserve_ids(std::int64_t sent, std::int64_t received) {
  sent_id_.reserve(std::max(sent, received));
  other_id_.reserve(std::max(sent, received));
}

/// Returns true if the ids were lost.
bool HaloPlanner::reserve_row_ids(std::int64_t rows) {
  return device::grow_by_eighth(row_id_, std::max<std::int64_t>(rows, kernels::padded(owned_)));
}

void HaloPlanner::prepare(kernels::Columns<const std::int64_t> position, const HaloRanges& ranges) {
  if (ranks_ == 1) return;
  if (!extent_is_known_) measure_extent(position);
  set_layers(ranges);
  mark_cells(position);
  gather_occupied();
  exchange_regions();
  select_rows(position);
  exchange_ids();
  if (has_open_axis_) measure_extent(position);  // for the next plan
  device::fence();                               // adopt() may run on another stream
}

void HaloPlanner::adopt(kernels::Columns<const std::int64_t> position) {
  if (ranks_ == 1) return;
  saved_position_.reserve(kernels::padded(owned_));
  device::launch("save positions", owned_,
                 kernels::SavePositions{position, saved_position_.view()});
  send_.join(other_row_.data(), 0);
  receive_.join(nullptr, fixed_rows());
  set_row_ids();
}

HaloPlanner::Prepared HaloPlanner::prepared() const {
  const int received = receive_.prepared_count();
  const int rows = fixed_rows() + received - partners_;
  const bool has_capacity = send_.prepared_count() <= send_.row.size() &&
                            received <= receive_.row.size() &&
                            std::max(rows, kernels::padded(owned_)) <= row_id_.size();
  return {rows, send_.prepared_count(), has_capacity};
}

void HaloPlanner::set_layers(const HaloRanges& ranges) {
  layers_ = 0;
  const auto add = [&](double range_nm, const int* member, int members) {
    Layer& layer = layer_[layers_++];
    layer.grid = choose_halo_grid(box_, extent_nm_, range_nm + ranges.margin_nm, most_cells_);
    layer.member = member;
    layer.members = members;
  };
  if (ranges.all_nm > 0) add(ranges.all_nm, nullptr, owned_);
  if (ranges.charged_nm > ranges.all_nm) add(ranges.charged_nm, marked_row_.data(), marked_rows_);
}

void HaloPlanner::mark_cells(kernels::Columns<const std::int64_t> position) {
  for (int k = 0; k < layers_; ++k) {
    Layer& layer = layer_[k];
    layer.reserve();
    clear(layer.bitmap.data(), layer.grid.words());
    clear(layer.mark.device(), layer.grid.layer_words());
    device::launch("mark cells", layer.members,
                   kernels::MarkCells{layer.grid, position, layer.member, layer.bitmap.data()});
    device::launch("mark layers", layer.grid.columns(),
                   kernels::MarkLayers{layer.grid, layer.bitmap.data(), layer.mark.device()});
  }
  for (int k = 0; k < layers_; ++k) layer_[k].mark.to_host(layer_[k].grid.layer_words());
}

void HaloPlanner::measure_extent(kernels::Columns<const std::int64_t> position) {
  using Limits = std::numeric_limits<std::int64_t>;
  Extent extent{};
  extent.low.fill(Limits::max());
  extent.high.fill(Limits::min());
  if (owned_ > 0) {
    using Min = Kokkos::Min<std::int64_t>;
    using Max = Kokkos::Max<std::int64_t>;
    Kokkos::parallel_reduce(
        "halo extent", Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, owned_),
        kernels::FindExtent{position}, Min(extent.low[0]), Min(extent.low[1]), Min(extent.low[2]),
        Max(extent.high[0]), Max(extent.high[1]), Max(extent.high[2]));
  }
  for (const auto& one : communicator_.all_gather(std::span<const Extent>(&extent, 1))) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      extent.low[axis] = std::min(extent.low[axis], one.low[axis]);
      extent.high[axis] = std::max(extent.high[axis], one.high[axis]);
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto counts = static_cast<std::uint64_t>(extent.high[axis]) -
                        static_cast<std::uint64_t>(extent.low[axis]);
    extent_nm_[axis] = extent.low[axis] <= extent.high[axis]
                           ? static_cast<double>(counts) * box_.nm_per_count(axis)
                           : 0;
  }
  extent_is_known_ = true;
}

/// Collective. Gathers the occupied intervals of all ranks; two ranks that are near each other
/// share regions.
void HaloPlanner::gather_occupied() {
  std::vector<char> mine;
  for (int k = 0; k < layers_; ++k) append_marks(layer_[k].grid, layer_[k].mark.host(), mine);
  const auto all = communicator_.all_gather(std::span<const char>(mine));
  peers_.clear();
  reserve_peers();
  sent_words_ = received_words_ = 0;
  std::vector<int> table;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (rank == communicator_.rank()) continue;
    kernels::HaloRegionPair* const pairs =
        region_.host() + static_cast<std::ptrdiff_t>(peers_.size()) * layers_;
    const int before = sent_words_ + received_words_;
    std::size_t first = 0;
    for (int k = 0; k < layers_; ++k) {
      const auto& grid = layer_[k].grid;
      const auto marks = static_cast<std::size_t>(grid.layer_count());
      const HaloMarks here(mine.data() + first, marks);
      const HaloMarks there(all.data() + static_cast<std::size_t>(rank) * mine.size() + first,
                            marks);
      pairs[k] = {shared_region(grid, here, there, sent_words_, table),
                  shared_region(grid, there, here, received_words_, table), k};
      sent_words_ += pairs[k].sent.words();
      received_words_ += pairs[k].received.words();
      first += marks;
    }
    if (sent_words_ + received_words_ > before) peers_.push_back(rank);
  }
  index_table_.reserve(static_cast<std::int64_t>(table.size()));
  std::copy(table.begin(), table.end(), index_table_.host());
  index_table_.to_device(static_cast<std::int64_t>(table.size()));
  std::copy(peers_.begin(), peers_.end(), peer_.host());
  peer_.to_device(static_cast<std::int64_t>(peers_.size()));
  region_.to_device(static_cast<std::int64_t>(peers_.size()) * layers_);
}

kernels::HaloRegions HaloPlanner::regions() const {
  return {{layer_[0].grid, layer_[1].grid},
          region_.device(),
          static_cast<int>(peers_.size()) * layers_,
          index_table_.device()};
}

/// Exchanges regions and stores the cells near a peer's in near_.
void HaloPlanner::exchange_regions() {
  reserve_words(sent_words_, received_words_);
  device::launch(
      "pack regions", sent_words_,
      kernels::PackRegions{
          regions(), {layer_[0].bitmap.data(), layer_[1].bitmap.data()}, sent_.device()});
  sent_.to_host(sent_words_);
  std::vector<int> sent, received;
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
    int out = 0, in = 0;
    for (int k = 0; k < layers_; ++k) {
      const auto& pair = region_.host()[static_cast<std::ptrdiff_t>(peer) * layers_ + k];
      out += pair.sent.words();
      in += pair.received.words();
    }
    sent.push_back(out);
    received.push_back(in);
  }
  start_exchange(communicator_, peers_, sent_.host(), sent, received_.host(), received).finish();
  received_.to_device(received_words_);
  device::launch(
      "near cells", sent_words_,
      kernels::FindNearCells{regions(), sent_.device(), received_.device(), near_.data()});
}

/// Stores the rows that are near a peer's, except its partners of terms, in other_row_.
void HaloPlanner::select_rows(kernels::Columns<const std::int64_t> position) {
  const int peers = static_cast<int>(peers_.size());
  device::grow_by_quarter(near_row_, static_cast<std::int64_t>(peers) * row_words_);
  clear(near_row_.data(), peers * row_words_);
  for (int k = 0; k < layers_; ++k) {
    device::launch("near rows", peers > 0 ? layer_[k].members : 0,
                   kernels::FindNearRows{regions(), k, layers_, peers, position, layer_[k].member,
                                         near_.data(), row_words_, near_row_.data()});
  }
  const auto select = [&] {
    Kokkos::parallel_scan(
        "halo rows",
        Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, peers * row_words_ + 1),
        kernels::SelectRows{near_row_.data(), fixed_row_bits_.data(), peer_.device(), peers,
                            row_words_, near_first_.device(), other_row_.data(),
                            static_cast<int>(other_row_.size())});
    near_first_.to_host(peers + 1);
    return near_first_.host()[peers];
  };
  const int found = select();
  if (found <= other_row_.size()) return;
  device::grow_by_quarter(other_row_, found);
  select();
}

/// Ranks that send or receive any row, in either direction.
std::vector<int> HaloPlanner::contacts() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    if (send_.fixed_count[r] + receive_.fixed_count[r] > 0 ||
        std::find(peers_.begin(), peers_.end(), rank) != peers_.end()) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

void HaloPlanner::exchange_ids() {
  const auto peers = peers_.size();
  const auto contact = contacts();
  send_.other_count.assign(static_cast<std::size_t>(ranks_), 0);
  receive_.other_count = sent_before_ = send_.other_count;
  std::vector<int> sent(peers), received;
  for (std::size_t k = 0; k < peers; ++k) {
    sent[k] = near_first_.host()[k + 1] - near_first_.host()[k];
    send_.other_count[static_cast<std::size_t>(peers_[k])] = sent[k];
  }
  struct Notice {
    int others;  // number of other ghosts for the receiver
    int before;  // rows that the sender sends to lower ranks
  };
  std::vector<Notice> notice(contact.size()), answer(contact.size());
  int before = 0;
  for (std::size_t rank = 0, k = 0; rank < static_cast<std::size_t>(ranks_); ++rank) {
    if (k < contact.size() && contact[k] == static_cast<int>(rank)) {
      notice[k++] = {send_.other_count[rank], before};
    }
    before += send_.fixed_count[rank] + send_.other_count[rank];
  }
  const std::vector<int> one_each(contact.size(), 1);
  start_exchange(communicator_, contact, notice.data(), one_each, answer.data(), one_each).finish();
  for (std::size_t k = 0; k < contact.size(); ++k) {
    const auto rank = static_cast<std::size_t>(contact[k]);
    receive_.other_count[rank] = answer[k].others;
    sent_before_[rank] = answer[k].before;
  }
  int arriving = 0;
  for (const int peer : peers_) {
    received.push_back(receive_.other_count[static_cast<std::size_t>(peer)]);
    arriving += received.back();
  }
  const int total = near_first_.host()[peers];
  reserve_ids(total, arriving);
  device::launch("ids of ghosts", total,
                 kernels::GatherIds{other_row_.data(), row_id_.data(), sent_id_.device()});
  sent_id_.to_host(total);
  start_exchange(communicator_, peers_, sent_id_.host(), sent, other_id_.host(), received).finish();
  other_id_.to_device(arriving);
}

/// Sets the ids of all local rows; the fixed ones are present unless the array was too small.
void HaloPlanner::set_row_ids() {
  const int others = other_ghosts();
  if (reserve_row_ids(fixed_rows() + others)) row_id_.upload(fixed_id_);
  device::launch("ids of rows", others,
                 kernels::CopyIds{other_id_.device(), row_id_.data() + fixed_rows()});
}

kernels::FindLargestMove HaloPlanner::find_largest_move(
    kernels::Columns<const std::int64_t> position) const {
  constexpr double turn = kernels::Mixed::coordinates_per_turn;
  return {position,
          saved_position_.read(),
          {box_.span_nm(0) / turn, box_.span_nm(1) / turn, box_.span_nm(2) / turn}};
}

double HaloPlanner::largest_move_nm(kernels::Columns<const std::int64_t> position) const {
  if (ranks_ == 1) return 0;
  return std::sqrt(
      device::largest_over<double>("largest move", owned_, find_largest_move(position)));
}

std::vector<comm::Route> HaloPlanner::routes(std::size_t bytes_per_row) const {
  std::vector<comm::Route> routes;
  const auto bytes = [&](int rows) { return bytes_per_row * static_cast<std::size_t>(rows); };
  const auto out = send_first(), in = receive_first();
  for (std::size_t rank = 0; rank + 1 < out.size(); ++rank) {
    const int sent = out[rank + 1] - out[rank], received = in[rank + 1] - in[rank];
    if (sent + received == 0) continue;
    routes.push_back(
        {static_cast<int>(rank), bytes(out[rank]), bytes(sent), bytes(in[rank]), bytes(received)});
  }
  return routes;
}

}  // namespace nfold::halo
