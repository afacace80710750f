// Record of a residue for pair loops, and vectorised reads of several records.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"

#if defined(__AVX2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

namespace nfold::kernels {

/// Limit of types: a residue's kind is its type + 256 (folded domain + 1).
inline constexpr int types_at_most = 256;
/// Limit of domains: a record's tag is eight times the kind and has 31 bits.
inline constexpr int domains_at_most = (1 << 20) - 1;

/// Record of one residue for pair loops: 32 bytes in mixed precision, 64 in double.
template <class Precision>
struct alignas(8 * sizeof(typename Precision::Real)) PairRow {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;
  Coordinate x, y, z;
  Real charge;
  Real half_sigma, half_lambda;
  Coordinate kind;  // type and domain
  Coordinate unused;
};

/// Record for the GPU: 16 bytes in mixed precision, one load. Type parameters are in a table. The
/// tag is eight times the kind or, in records of charged residues, the charge.
template <class Precision>
struct alignas(4 * sizeof(typename Precision::Real)) PackedRow {
  typename Precision::Coordinate x, y, z, tag;
};
/// Factor of the kind in a tag: it is the byte offset of a type's two floats, without a shift.
inline constexpr int kind_step = 8;

/// Half of a type's mixing parameters.
template <class Real>
struct alignas(2 * sizeof(Real)) TypeMixing {
  Real half_sigma, half_lambda;
};

/// Limit of GPUs into whose memory one GPU writes.
inline constexpr int halo_peers_at_most = 15;

/// Copy of an owned residue on a peer, with its slots there. Copies of a row are ordered by peer,
/// so that a warp writes to one peer at a time.
struct HaloCopy {
  int next;  // next copy of the same row, or -1
  int peer;
  int slot, charged_slot;  // -1: neutral
};

/// Columns beside the coordinates that a potential reads.
enum class PairColumns { none, charge, mixing, mixing_and_kind, kind };

/// Records of pair_lanes residues, one array per column.
template <class Precision>
struct Partners {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;
  alignas(64) Coordinate x[pair_lanes];
  alignas(64) Coordinate y[pair_lanes];
  alignas(64) Coordinate z[pair_lanes];
  alignas(64) Real charge[pair_lanes];
  alignas(64) Real half_sigma[pair_lanes];
  alignas(64) Real half_lambda[pair_lanes];
  alignas(64) Coordinate kind[pair_lanes];
};

/// Reads one record into lane 0.
template <class Precision>
NFOLD_FUNCTION void read_partner(const PairRow<Precision>& row, Partners<Precision>& p) {
  p.x[0] = row.x;
  p.y[0] = row.y;
  p.z[0] = row.z;
  p.charge[0] = row.charge;
  p.half_sigma[0] = row.half_sigma;
  p.half_lambda[0] = row.half_lambda;
  p.kind[0] = row.kind;
}
template <PairColumns columns, class Precision>
NFOLD_FUNCTION void read_partner(const PackedRow<Precision>& row,
                                 const TypeMixing<typename Precision::Real>* by_type,
                                 Partners<Precision>& p) {
  p.x[0] = row.x;
  p.y[0] = row.y;
  p.z[0] = row.z;
  p.kind[0] = row.tag / kind_step;
  if constexpr (columns == PairColumns::charge) p.charge[0] = Precision::from_tag(row.tag);
  if constexpr (columns == PairColumns::mixing || columns == PairColumns::mixing_and_kind) {
    using Mixing = TypeMixing<typename Precision::Real>;
    // Tags have no domain if the potential ignores domains.
    constexpr unsigned types = columns == PairColumns::mixing
                                   ? ~0U
                                   : static_cast<unsigned>(kind_step * types_at_most - kind_step);
    const auto place = static_cast<unsigned>(row.tag) & types;
    const Mixing mixing = *reinterpret_cast<const Mixing*>(reinterpret_cast<const char*>(by_type) +
                                                           place * (sizeof(Mixing) / kind_step));
    p.half_sigma[0] = mixing.half_sigma;
    p.half_lambda[0] = mixing.half_lambda;
  }
}

#ifdef KOKKOS_ENABLE_CUDA
/// Records that one potential reads, by slot.
template <class Precision>
struct RowTable {
  const PackedRow<Precision>* row;
  const TypeMixing<typename Precision::Real>* by_type;
  template <PairColumns columns>
  NFOLD_FUNCTION void read(int slot, Partners<Precision>& p) const {
    read_partner<columns>(row[slot], by_type, p);
  }
};

/// Destinations of the copies of the owned rows in one halo exchange.
template <class Precision>
struct HaloPush {
  const int* first_copy;  // (owned rows) or -1; null: no copies
  const HaloCopy* copy;
  PackedRow<Precision>* all[halo_peers_at_most];  // records of each peer
  PackedRow<Precision>* charged[halo_peers_at_most];
};

/// Records that hold the coordinates of a local row: at its slot in spatial order, again among the
/// charged residues, and in the memory of peers.
template <class Precision>
struct PairRecords {
  using Coordinate = typename Precision::Coordinate;
  PackedRow<Precision>*row, *charged;
  const int *slot, *charged_slot;  // (rows); -1: neutral
  const Coordinate* tag;           // (rows)
  HaloPush<Precision> push;
  NFOLD_FUNCTION void put(int i, Coordinate x, Coordinate y, Coordinate z) const {
    put(places(i), x, y, z);
  }
  /// Returns the index of the first copy of row i, or -1.
  [[nodiscard]] NFOLD_FUNCTION int first_copy(int i) const {
    return push.first_copy == nullptr ? -1 : push.first_copy[i];
  }
  /// Slots of a row and the contents of its records beside the coordinates; charged_tag is set only
  /// if there are copies.
  struct RecordSlots {
    int slot, charged_slot;
    bool has_copies;
    HaloCopy first;
    Coordinate tag, charged_tag;
  };
  /// Reads the data that changes only when slots or copies are reassigned.
  [[nodiscard]] NFOLD_FUNCTION RecordSlots places(int i) const {
    RecordSlots p{};
    p.slot = slot[i];
    p.charged_slot = charged_slot[i];
    p.tag = tag[i];
    const int k = first_copy(i);
    p.has_copies = k >= 0;
    if (p.has_copies) {
      p.first = push.copy[k];
      if (p.charged_slot >= 0) p.charged_tag = charged[p.charged_slot].tag;
    }
    return p;
  }
  NFOLD_FUNCTION void put(const RecordSlots& p, Coordinate x, Coordinate y, Coordinate z) const {
    // The whole record in one store.
    row[p.slot] = {x, y, z, p.tag};
    if (p.charged_slot >= 0) place(charged[p.charged_slot], x, y, z);
    if (!p.has_copies) return;
    HaloCopy to = p.first;
    while (true) {
      push.all[to.peer][to.slot] = {x, y, z, p.tag};
      if (to.charged_slot >= 0) push.charged[to.peer][to.charged_slot] = {x, y, z, p.charged_tag};
      if (to.next < 0) return;
      to = push.copy[to.next];
    }
  }

 private:
  static NFOLD_FUNCTION void place(PackedRow<Precision>& record, Coordinate x, Coordinate y,
                                   Coordinate z) {
    record.x = x;
    record.y = y;
    record.z = z;
  }
};
#else
template <class Precision>
struct RowTable {
  const PairRow<Precision>* row;
  template <PairColumns columns>
  NFOLD_FUNCTION void read(int at, Partners<Precision>& p) const {
    read_partner(row[at], p);
  }
};
/// Records that hold the coordinates of a local row.
template <class Precision>
struct PairRecords {
  using Coordinate = typename Precision::Coordinate;
  PairRow<Precision>* row;
  NFOLD_FUNCTION void put(int i, Coordinate x, Coordinate y, Coordinate z) const {
    row[i].x = x;
    row[i].y = y;
    row[i].z = z;
  }
};
#endif

/// Reads pair_lanes records; at: row numbers, `stride` apart.
template <PairColumns columns, class Precision>
NFOLD_FUNCTION void read_partners(const PairRow<Precision>* rows, const int* at,
                                  std::ptrdiff_t stride, Partners<Precision>& p) {
  NFOLD_LANES
  for (int lane = 0; lane < pair_lanes; ++lane) {
    const PairRow<Precision>& row = rows[at[lane * stride]];
    p.x[lane] = row.x;
    p.y[lane] = row.y;
    p.z[lane] = row.z;
    if constexpr (columns == PairColumns::charge) p.charge[lane] = row.charge;
    if constexpr (columns == PairColumns::mixing || columns == PairColumns::mixing_and_kind) {
      p.half_sigma[lane] = row.half_sigma;
      p.half_lambda[lane] = row.half_lambda;
    }
    if constexpr (columns == PairColumns::kind || columns == PairColumns::mixing_and_kind) {
      p.kind[lane] = row.kind;
    }
  }
}

#if defined(__AVX2__) && !defined(__CUDACC__)
/// Reads whole records and transposes them in registers: sixteen loads and some shuffles in place
/// of three to six gathers of eight elements each, which CPUs split into many loads.
template <PairColumns columns>
NFOLD_FUNCTION void read_partners(const PairRow<Mixed>* rows, const int* at, std::ptrdiff_t stride,
                                  Partners<Mixed>& p) {
  static_assert(pair_lanes == 8 && sizeof(PairRow<Mixed>) == 32);
  const auto half = [&](int offset, int lane) {
    const auto* const low = reinterpret_cast<const float*>(rows + at[lane * stride]) + offset;
    const auto* const high =
        reinterpret_cast<const float*>(rows + at[(lane + 4) * stride]) + offset;
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high), 1);
  };
  const auto store = [](auto* to, __m256 v) { _mm256_store_ps(reinterpret_cast<float*>(to), v); };
  {
    const __m256 a = half(0, 0), b = half(0, 1), c = half(0, 2), d = half(0, 3);
    const __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);  // x x y y
    const __m256 ef = _mm256_unpackhi_ps(a, b), gh = _mm256_unpackhi_ps(c, d);  // z z q q
    store(p.x, _mm256_shuffle_ps(ab, cd, 0x44));
    store(p.y, _mm256_shuffle_ps(ab, cd, 0xEE));
    store(p.z, _mm256_shuffle_ps(ef, gh, 0x44));
    if constexpr (columns == PairColumns::charge) store(p.charge, _mm256_shuffle_ps(ef, gh, 0xEE));
  }
  if constexpr (columns != PairColumns::none && columns != PairColumns::charge) {
    const __m256 a = half(4, 0), b = half(4, 1), c = half(4, 2), d = half(4, 3);
    if constexpr (columns != PairColumns::kind) {
      const __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
      store(p.half_sigma, _mm256_shuffle_ps(ab, cd, 0x44));
      store(p.half_lambda, _mm256_shuffle_ps(ab, cd, 0xEE));
    }
    if constexpr (columns != PairColumns::mixing) {
      const __m256 ef = _mm256_unpackhi_ps(a, b), gh = _mm256_unpackhi_ps(c, d);
      store(p.kind, _mm256_shuffle_ps(ef, gh, 0x44));
    }
  }
}
#endif

}  // namespace nfold::kernels
