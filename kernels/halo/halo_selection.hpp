// Selection of the rows to send, and largest move since the selection.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/views.hpp"

namespace nfold::kernels {

/// Selects the rows that each peer needs at the present positions: near rows without the fixed
/// rows, which it always gets. The rows are ascending, peer after peer. All are counted; those
/// beyond the capacity are not stored. A scan over the words of each peer's bits, then an end. Work
/// item: one word.
struct SelectRows {
  const std::uint32_t* near_row_bits;   // (peers, row_words)
  const std::uint32_t* fixed_row_bits;  // (ranks, row_words)
  const int* rank;                      // (peers)
  int peers, row_words;
  int* first;  // (peers + 1) offset of each peer's rows
  int* row;    // (capacity)
  int capacity;

  NFOLD_FUNCTION void operator()(int item, int& sum, bool final) const {
    if (item == peers * row_words) {
      if (final) first[peers] = sum;
      return;
    }
    const int peer = item / row_words;
    const int word = item - peer * row_words;
    if (final && word == 0) first[peer] = sum;
    const std::uint32_t bits = near_row_bits[item] & ~fixed_row_bits[rank[peer] * row_words + word];
    if (final) {
      int at = sum;
      for (std::uint32_t rest = bits; rest != 0 && at < capacity; rest &= rest - 1) {
        row[at++] = 32 * word + Kokkos::Experimental::countr_zero_builtin(rest);
      }
    }
    sum += Kokkos::Experimental::popcount_builtin(bits);
  }
};

/// Computes gathered[item] = id[row[item]].
struct GatherIds {
  const int* row;
  const int* id;
  int* gathered;
  NFOLD_FUNCTION void operator()(int item) const { gathered[item] = id[row[item]]; }
};

struct CopyIds {
  const int* from;
  int* to;
  NFOLD_FUNCTION void operator()(int item) const { to[item] = from[item]; }
};

/// Joins the fixed rows of each rank and its other rows. Work item: one entry of the result.
struct JoinRows {
  const int* first;        // (ranks + 1) offset of each rank's entries
  const int* fixed_first;  // (ranks + 1) offsets of the fixed rows
  int ranks;
  const int* fixed_row;
  const int* other_row;  // null: they are consecutive from first_other_row
  int first_other_row;
  int* row;

  NFOLD_FUNCTION void operator()(int item) const {
    int rank = 0, end = ranks;
    while (rank + 1 < end) {
      const int half = (rank + end) / 2;
      (first[half] <= item ? rank : end) = half;
    }
    const int fixed = fixed_first[rank] + item - first[rank];
    const int other = item - fixed_first[rank + 1];
    row[item] = fixed < fixed_first[rank + 1] ? fixed_row[fixed]
                : other_row != nullptr        ? other_row[other]
                                              : first_other_row + other;
  }
};

/// Copies the positions of the rows on the grid of mixed precision.
struct SavePositions {
  Columns<const std::int64_t> position;
  Columns<std::int32_t> saved;
  NFOLD_FUNCTION void operator()(int row) const {
    saved.x[row] = Mixed::coordinate(position.x[row]);
    saved.y[row] = Mixed::coordinate(position.y[row]);
    saved.z[row] = Mixed::coordinate(position.z[row]);
  }
};

/// Finds the largest squared move [nm^2] since SavePositions.
struct FindLargestMove {
  Columns<const std::int64_t> position;
  Columns<const std::int32_t> saved;
  Scale<double> nm;
  NFOLD_FUNCTION void operator()(int row, double& largest) const {
    const double x = moved(position.x[row], saved.x[row], nm.x);
    const double y = moved(position.y[row], saved.y[row], nm.y);
    const double z = moved(position.z[row], saved.z[row], nm.z);
    const double move = x * x + y * y + z * z;
    largest = move > largest ? move : largest;
  }

 private:
  static NFOLD_FUNCTION double moved(std::int64_t now, std::int32_t before, double scale) {
    const auto units = Mixed::difference(Mixed::coordinate(now), before);
    // Each of the two was rounded by up to half a unit.
    return ((units < 0 ? -static_cast<double>(units) : static_cast<double>(units)) + 1) * scale;
  }
};

}  // namespace nfold::kernels
