// Counts of formed native contacts and of chain sizes over many replicas.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/resident/replica_positions.hpp"

namespace nfold::kernels {

struct NativeContact {
  std::int32_t i, j;
  double reach_squared;  // [nm^2] largest squared distance of a formed contact
};

/// Counts formed contacts. Work item: some replicas of one contact; consecutive items are
/// consecutive replicas.
struct CountContacts {
  ReplicaPositions replicas;
  const std::int32_t* cell;  // (replicas) count cell of a replica, such as (state, Q bin); -1: none
  const NativeContact* contact;
  int contacts, shares;
  std::int64_t* formed;  // (cells, contacts)

  NFOLD_FUNCTION void operator()(int item) const {
    const int which = item / shares;
    const NativeContact native = contact[which];
    for (int r = item % shares; r < replicas.replicas; r += shares) {
      if (cell[r] < 0) continue;
      double d[3];
      replicas.row(r).difference(native.i, native.j, d);
      if (inner_product(d, d) > native.reach_squared) continue;
      add_count(formed + static_cast<std::int64_t>(cell[r]) * contacts + which, 1);
    }
  }
};

/// Sums over a chain of one replica, of positions relative to its first residue.
struct ChainSum {
  enum Place { x, y, z, squares, count };  // [2^-44 turns], [2^-24 nm^2]
  static constexpr double squares_per_nm2 = 0x1p24;
};

/// Sums chain positions. Work item: a part of the residues of one replica; consecutive items are
/// consecutive replicas.
struct SumChainPositions {
  ReplicaPositions replicas;
  const std::int32_t* chain;        // (residues)
  const std::int32_t* chain_first;  // (chains + 1)
  int parts;
  std::int64_t* sum;  // (chains, ChainSum::count, replicas)

  NFOLD_FUNCTION void operator()(int item) const {
    const int r = item % replicas.replicas;
    const int part = item / replicas.replicas;
    const auto border = [this](int k) {
      return static_cast<int>(static_cast<std::int64_t>(replicas.residues) * k / parts);
    };
    const ReplicaRow row = replicas.row(r);
    std::int64_t mine[ChainSum::count] = {0, 0, 0, 0};
    const int last = border(part + 1);
    for (int i = border(part); i < last; ++i) {
      const int first = chain_first[chain[i]];
      // Positions are unwrapped, so chains are whole.
      const std::int64_t dx = row.at(i, 0) - row.at(first, 0);
      const std::int64_t dy = row.at(i, 1) - row.at(first, 1);
      const std::int64_t dz = row.at(i, 2) - row.at(first, 2);
      constexpr double coarse = 0x1p-12;
      const double squared = squared_length(to_double(dx) * (replicas.scale.x * coarse),
                                            to_double(dy) * (replicas.scale.y * coarse),
                                            to_double(dz) * (replicas.scale.z * coarse));
      mine[ChainSum::x] += dx;
      mine[ChainSum::y] += dy;
      mine[ChainSum::z] += dz;
      mine[ChainSum::squares] += round_to_int64(squared * ChainSum::squares_per_nm2);
      if (i + 1 < last && i + 1 < chain_first[chain[i] + 1]) continue;
      for (int k = 0; k < ChainSum::count; ++k) {
        add_count(
            sum + (static_cast<std::int64_t>(chain[i]) * ChainSum::count + k) * replicas.replicas +
                r,
            mine[k]);
        mine[k] = 0;
      }
    }
  }
};

/// Adds each replica's radius of gyration, the mean over chains, to the histogram of its cell, and
/// zeroes the sums for the next time. Work item: some replicas.
struct CountChainSizes {
  ReplicaPositions replicas;
  const std::int32_t* cell;         // (replicas)
  const std::int32_t* chain_first;  // (chains + 1)
  int chains, shares, bins;
  double bins_per_nm;
  std::int64_t* sum;        // (chains, ChainSum::count, replicas)
  std::int64_t* histogram;  // (cells, bins)

  NFOLD_FUNCTION void operator()(int item) const {
    for (int r = item; r < replicas.replicas; r += shares) {
      double size = 0;
      for (int c = 0; c < chains; ++c) size += radius_nm(c, r);
      const int bin = bin_of(size / chains * bins_per_nm, bins);
      add_count(histogram + static_cast<std::int64_t>(cell[r]) * bins + bin, 1);
    }
  }

 private:
  [[nodiscard]] NFOLD_FUNCTION double radius_nm(int c, int r) const {
    std::int64_t* const own =
        sum + static_cast<std::int64_t>(c) * ChainSum::count * replicas.replicas + r;
    const double residues = chain_first[c + 1] - chain_first[c];
    const double scale[3] = {replicas.scale.x, replicas.scale.y, replicas.scale.z};
    double centre[3];
    for (int axis = 0; axis < 3; ++axis) {
      std::int64_t& place = own[static_cast<std::int64_t>(axis) * replicas.replicas];
      centre[axis] = static_cast<double>(place) / residues * (scale[axis] * 0x1p-12);
      place = 0;
    }
    std::int64_t& squares = own[static_cast<std::int64_t>(ChainSum::squares) * replicas.replicas];
    const double mean_square =
        static_cast<double>(squares) * (1 / ChainSum::squares_per_nm2) / residues;
    squares = 0;
    const double squared = mean_square - squared_length(centre);
    return Kokkos::sqrt(squared > 0 ? squared : 0.0);
  }
};

}  // namespace nfold::kernels
