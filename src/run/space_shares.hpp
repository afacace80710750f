// Residues by where they are: a rank gets those of a slice of space and those near its borders.
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

/// What a rank looks at, whoever owns it.
struct ResiduesOfSlice {
  std::vector<int> id;
  std::vector<std::array<double, 3>> x_nm;  ///< unwrapped
  std::vector<char> is_inside;              ///< the slice; the others are near it

  /// Calls visit(a, b) with the places here of each pair closer than range_nm, id[a] < id[b], whose
  /// a is inside: so of all ranks' slices each pair comes once.
  template <class Visit>
  void for_each_pair(const system::Box& box, double range_nm, Visit&& visit) const {
    if (id.empty()) return;
    system::CellList(box, x_nm, range_nm).for_each_pair([&](int a, int b) {
      auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
      if (id[first] > id[second]) std::swap(first, second);
      if (is_inside[first] != 0) visit(first, second);
    });
  }
  /// Those of which keep(id) is true.
  template <class Keep>
  [[nodiscard]] ResiduesOfSlice only(const Keep& keep) const {
    ResiduesOfSlice kept;
    for (std::size_t k = 0; k < id.size(); ++k) {
      if (!keep(id[k])) continue;
      kept.id.push_back(id[k]);
      kept.x_nm.push_back(x_nm[k]);
      kept.is_inside.push_back(is_inside[k]);
    }
    return kept;
  }
};

/// Collective: cuts space across its longest axis into slices of about equally many residues, and
/// sends this rank all residues of its own and within range_nm of it. Slices are at least that
/// thick, so some ranks get none in a short box. mine: what this rank owns.
[[nodiscard]] ResiduesOfSlice residues_by_space(const comm::Communicator& communicator,
                                                const system::Box& box, const system::State& mine,
                                                double range_nm);

}  // namespace nfold::run
