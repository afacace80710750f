// Bonds along uniform chains, which a GPU's pair loop computes along with the pairs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <vector>

#include "device/device_array.hpp"
#include "device/refill.hpp"
#include "domain/row_index.hpp"
#include "kernels/arithmetic/views.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Active on a GPU if all bonds of the system have one length and strength and no residue has more
/// than one bond on each side. Depends on the topology alone, so all ranks agree.
class ChainTable {
 public:
  /// (max(owned, 1)) Host copy, for upload.
  using HostRows = std::vector<kernels::ChainNeighbours>;

  /// Without bonds.
  ChainTable() = default;
  explicit ChainTable(const topology::Topology& topology)
      : acts_(!device::on_host && is_uniform(topology)) {
    if (!acts_) return;
    length_nm_ = topology.bonds.front().length_nm;
    k_kj_mol_nm2_ = topology.bonds.front().k_kj_mol_nm2;
  }

  /// row_of: index of fixed local rows by id.
  [[nodiscard]] static HostRows host_rows(const topology::Topology& topology,
                                          const domain::RowIndex& row_of, int owned) {
    HostRows rows(static_cast<std::size_t>(std::max(owned, 1)), {-1, -1});
    for (const auto& bond : topology.bonds) {
      const int i = row_of[bond.i];
      const int j = row_of[bond.j];
      if (i >= 0 && i < owned) rows[static_cast<std::size_t>(i)].after = j;
      if (j >= 0 && j < owned) rows[static_cast<std::size_t>(j)].before = i;
    }
    return rows;
  }
  void take(const HostRows& rows) { device::refill(rows_, rows); }
  void reserve(std::int64_t owned) { device::reserve_for_refill(rows_, owned); }
  [[nodiscard]] bool acts() const { return acts_; }
  [[nodiscard]] const kernels::ChainNeighbours* rows() const {
    return acts_ ? rows_.data() : nullptr;
  }
  [[nodiscard]] double length_nm() const { return length_nm_; }
  [[nodiscard]] double k_kj_mol_nm2() const { return k_kj_mol_nm2_; }

  /// True if all bonds are equal and no residue has more than one on each side.
  [[nodiscard]] static bool is_uniform(const topology::Topology& topology) {
    if (topology.bonds.empty()) return false;
    const auto& first = topology.bonds.front();
    std::vector<char> sides(topology.residues.size(), 0);
    const auto takes = [&](int residue, char side) {
      char& taken = sides[static_cast<std::size_t>(residue)];
      const bool is_free = (taken & side) == 0;
      taken = static_cast<char>(taken | side);
      return is_free;
    };
    return std::all_of(topology.bonds.begin(), topology.bonds.end(), [&](const auto& bond) {
      return bond.length_nm == first.length_nm && bond.k_kj_mol_nm2 == first.k_kj_mol_nm2 &&
             takes(bond.i, 1) && takes(bond.j, 2);
    });
  }

 private:
  device::DeviceArray<kernels::ChainNeighbours> rows_{"chain"};
  bool acts_ = false;
  double length_nm_ = 0, k_kj_mol_nm2_ = 0;
};

}  // namespace nfold::forces
