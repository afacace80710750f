// Residues by position: each rank gets a slice of space and the residues near its borders.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "system/box.hpp"
#include "system/cell_list.hpp"
#include "system/state.hpp"

namespace nfold::run {

/// Residues that a rank processes, independent of ownership.
struct SliceResidues {
  std::vector<int> id;
  std::vector<std::array<double, 3>> x_nm;  ///< unwrapped
  std::vector<char> is_inside;              ///< 1: inside the slice; 0: near it

  /// Calls visit(a, b) with the local indices of each pair closer than range_nm, id[a] < id[b], if
  /// a is inside: over all ranks' slices each pair is visited once.
  template <class Visit>
  void for_each_pair(const system::Box& box, double range_nm, Visit&& visit) const {
    if (id.empty()) return;
    system::CellList(box, x_nm, range_nm).for_each_pair([&](int a, int b) {
      auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
      if (id[first] > id[second]) std::swap(first, second);
      if (is_inside[first] != 0) visit(first, second);
    });
  }
  /// Returns the residues for which keep(id) is true.
  template <class Keep>
  [[nodiscard]] SliceResidues filter(const Keep& keep) const {
    SliceResidues kept;
    for (std::size_t k = 0; k < id.size(); ++k) {
      if (!keep(id[k])) continue;
      kept.id.push_back(id[k]);
      kept.x_nm.push_back(x_nm[k]);
      kept.is_inside.push_back(is_inside[k]);
    }
    return kept;
  }
};

/// Collective. Cuts space across its longest axis into slices of about equally many residues, and
/// returns all residues of this rank's slice and within range_nm of it. Slices are at least
/// range_nm thick, so some ranks get none in a short box. mine: residues that this rank owns.
[[nodiscard]] SliceResidues gather_slice(const comm::Communicator& communicator,
                                         const system::Box& box, const system::State& mine,
                                         double range_nm);

}  // namespace nfold::run
