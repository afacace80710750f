// Forces within a block of resident replicas: chain terms, contacts, listed pairs, an umbrella.
// SPDX-License-Identifier: BSD-3-Clause
//
// A thread walks along a few consecutive residues of one replica, whose chain terms share their
// vectors and planes, or takes one kind of terms of one residue; contacts and listed pairs go in
// turn over threads. All is added up in shared memory, in any order. Terms that are not there have
// no strength, and no force.
#pragma once

#include "kernels/angle.hpp"
#include "kernels/bond.hpp"
#include "kernels/cuda/resident_block.hpp"
#include "kernels/dihedral.hpp"

namespace nfold::kernels {

template <ResidentPlaces kind, int fixed_log_width, class Contact>
class ResidentForces : protected ResidentBlock<kind, fixed_log_width, Contact> {
 public:
  using Block = ResidentBlock<kind, fixed_log_width, Contact>;
  __device__ ResidentForces(const ResidentRun<Contact>& run, char* shared) : Block(run, shared) {
    lists_ = run.lists +
             static_cast<std::int64_t>(blockIdx.x) *
                 ((static_cast<std::int64_t>(run.system.residues) * resident_pairs) << log_width());
    const int halves = 2 * run.system.mask_words;
    first_half_ = (slot_ / halves) << 8 | slot_ % halves;
  }

 protected:
  using Block::apart, Block::at, Block::add, Block::log_width, Block::magic_bits,
      Block::rounded_bits, Block::slot_in, Block::warp_slots;
  using Block::bad_, Block::force_, Block::heavy_, Block::lane_, Block::listed_, Block::places_;
  using Block::pairs_listed_, Block::replica_, Block::run_, Block::slot_, Block::system_;

  /// By all threads, between two barriers. Which thread finds a pair is in no bit: only where it
  /// then stands.
  __device__ void make_lists() {
    const int halves = 2 * system_.mask_words;
    const int capacity = system_.residues * resident_pairs;
    int row = first_half_ >> 8, half = first_half_ & 0xff;
#pragma unroll 1
    while (row < system_.residues) {
      std::uint32_t bits = system_.looks_after[row * system_.mask_words + (half >> 1)];
      bits = (half & 1) != 0 ? bits >> 16U : bits & 0xffffU;
      const float4 mine = places_[at(row)];
      std::uint32_t hits = 0;
      // Of most half words a residue looks after either the odd ones or the even ones. Places
      // behind the last are of no residue, but of this memory; bits has none of them.
      for (int odd = (bits & 0x5555U) != 0 ? 0 : 1; odd < 2; ++odd) {
        if ((bits >> static_cast<unsigned>(odd) & 0x5555U) == 0) break;
        const float4* const others = places_ + at(half * 16 + odd);
#pragma unroll
        for (int j = 0; j < 16; j += 2) {
          const float4 other = others[j << log_width()];
          float d[3];
          apart(other, mine, system_.scale.x, d);
          const float r2 = squared_length(d);
          if (r2 < system_.list_range_squared) hits |= 1U << static_cast<unsigned>(j + odd);
        }
      }
      hits &= bits;
      if (hits != 0) {
        int place = atomicAdd(pairs_listed_ + lane_, __popc(hits));
        while (hits != 0 && place < capacity) {
          const int j = 31 - __clz(static_cast<int>(hits));
          hits ^= 1U << static_cast<unsigned>(j);
          lists_[(place << log_width()) + lane_] =
              (static_cast<std::uint32_t>(at(row)) << 20U) |
              (static_cast<std::uint32_t>(at(half * 16 + j)) << 4U);
          ++place;
        }
      }
      row += run_.rows_on;
      half += run_.halves_on;
      if (half >= halves) {
        half -= halves;
        ++row;
      }
    }
    __syncthreads();
    listed_pairs_ = pairs_listed_[lane_];
    if (listed_pairs_ > capacity) {
      bad_ |= ResidentUnsure::unknown;
      listed_pairs_ = 0;
    }
    // All lanes of a warp go as often through a loop as the one that must most often: those that
    // leave it early cost more than those that do nothing in it.
    int most = 0;
    for (int k = 0; k < 1 << log_width(); ++k) most = max(most, min(pairs_listed_[k], capacity));
    const int slots = run_.pairs.slots;
    const int first_of_warp = first_listed_ & ~(warp_slots() - 1);
    rounds_ = most > first_of_warp ? (most - first_of_warp + slots - 1) / slots : 0;
    first_entry_ = entry(first_listed_);
  }

  /// All terms that begin at these residues.
  __device__ void walk(int first, int last) {
    if (first >= last) return;
    unsigned sum[4][3] = {};
    const float4 second = places_[at(first + 1)];
    BondVector<float> a = bond_between(places_[at(first)], second);
    float4 next = places_[at(first + 2)];
    BondVector<float> b = bond_between(second, next);
    BondPlane<float> ab(a, b);
#pragma unroll 1
    for (int row = first; row < last; ++row) {
      const float4 far = places_[at(row + 3)];
      const BondVector<float> c = bond_between(next, far);
      const BondPlane<float> bc(b, c);
      const ChainTerms<float> terms = system_.chain[row];
      float bond[3], angle[9], dihedral[12];
      const float largest = Bond::forces(a, terms.bond, bond) +
                            Angle::forces(a, b, ab, terms.angle, angle) +
                            Dihedral::forces(a, b, ab, bc, terms.dihedral, dihedral);
      if (largest < largest_rounded) {
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
          const unsigned b0 = rounded_bits(bond[axis]), a0 = rounded_bits(angle[axis]);
          const unsigned a2 = rounded_bits(angle[6 + axis]), d0 = rounded_bits(dihedral[axis]);
          const unsigned d1 = rounded_bits(dihedral[3 + axis]);
          const unsigned d3 = rounded_bits(dihedral[9 + axis]);
          sum[0][axis] = sum[0][axis] + b0 + a0 + d0;
          sum[1][axis] = sum[1][axis] + d1 - b0 - a0 - a2;
          sum[2][axis] = sum[2][axis] + a2 - d0 - d1 - d3;
          sum[3][axis] = d3;
        }
      } else {
        bad_ |= add_exactly(all, row);
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) sum[3][axis] = 0;
      }
      flush(sum[0], at(row));
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        sum[0][axis] = sum[1][axis];
        sum[1][axis] = sum[2][axis];
        sum[2][axis] = sum[3][axis];
      }
      a = b;
      b = c;
      ab = bc;
      next = far;
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) flush(sum[k], at(last + k));
  }
  /// What add_bend and add_turn take; a row that only pads has no terms.
  [[nodiscard]] __device__ float4 bond_angle_of(int row) const {
    if (row >= system_.residues) return make_float4(0, 0, 0, 0);
    const ChainTerms<float>& terms = system_.chain[row];
    return make_float4(terms.bond[0], terms.bond[1], terms.angle[0], terms.angle[1]);
  }
  [[nodiscard]] __device__ float4 dihedral_of(int row) const {
    if (row >= system_.residues) return make_float4(0, 0, 0, 0);
    const float* const p = system_.chain[row].dihedral;
    return make_float4(p[0], p[1], p[2], p[3]);
  }
  /// The bond and the angle that begin at a residue.
  __device__ void add_bend(int row, const float4& bond_angle) {
    const float4 p0 = places_[at(row)], p1 = places_[at(row + 1)], p2 = places_[at(row + 2)];
    const float of_bond[2] = {bond_angle.x, bond_angle.y};
    const float of_angle[2] = {bond_angle.z, bond_angle.w};
    const auto a = bond_between(p0, p1), b = bond_between(p1, p2);
    const BondPlane<float> ab(a, b);
    float bond[3], angle[9];
    const float largest = Bond::forces(a, of_bond, bond) + Angle::forces(a, b, ab, of_angle, angle);
    if (!(largest < largest_rounded)) {
      bad_ |= add_exactly(bends, row);
      return;
    }
    unsigned sum[3][3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const unsigned b0 = rounded_bits(bond[axis]), a0 = rounded_bits(angle[axis]);
      const unsigned a2 = rounded_bits(angle[6 + axis]);
      sum[0][axis] = b0 + a0;
      sum[1][axis] = 0U - b0 - a0 - a2;
      sum[2][axis] = a2;
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) flush(sum[k], at(row + k));
  }
  /// The dihedral that begins at a residue.
  __device__ void add_turn(int row, const float4& dihedral) {
    const float4 p0 = places_[at(row)], p1 = places_[at(row + 1)], p2 = places_[at(row + 2)];
    const float4 p3 = places_[at(row + 3)];
    const float parameter[4] = {dihedral.x, dihedral.y, dihedral.z, dihedral.w};
    const auto a = bond_between(p0, p1), b = bond_between(p1, p2), c = bond_between(p2, p3);
    const BondPlane<float> ab(a, b), bc(b, c);
    float f[12];
    if (!(Dihedral::forces(a, b, ab, bc, parameter, f) < largest_rounded)) {
      bad_ |= add_exactly(turns, row);
      return;
    }
    unsigned sum[4][3];
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      sum[0][axis] = rounded_bits(f[axis]);
      sum[1][axis] = rounded_bits(f[3 + axis]);
      sum[3][axis] = rounded_bits(f[9 + axis]);
      sum[2][axis] = 0U - sum[0][axis] - sum[1][axis] - sum[3][axis];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) flush(sum[k], at(row + k));
  }

  /// Contacts and listed pairs are one row of work, which the slots of this role take in turn. This
  /// one's are looked up once.
  __device__ void take_pairs(int slot) {
    pair_slot_ = slot;
    strength_ = run_.replicas.contact_strength[replica_];
    first_listed_ = slot;
    while (first_listed_ < run_.contact_turns) first_listed_ += run_.pairs.slots;
    first_listed_ -= run_.contact_turns;
    if (slot < run_.contact_turns) contact_ = system_.contact[slot];
  }
  /// Of many contacts a slot, two at a time: neither waits for the other.
  __device__ void add_contacts() {
    const int slots = run_.pairs.slots, last = run_.contact_turns;
    int k = pair_slot_;
#pragma unroll 1
    for (; k + slots < last; k += 2 * slots) {
      const Central one = contact_force(system_.contact[k]);
      const Central other = contact_force(system_.contact[k + slots]);
      if (is_small(one) && is_small(other)) {
        add_small(one);
        add_small(other);
      } else {
        add_large(one, magic_bits);
        add_large(other, magic_bits);
      }
    }
    if (k < last) add_contact(system_.contact[k]);
  }
  /// Where a slot has about one: the first is at hand.
  __device__ void add_few_contacts() {
    const int slots = run_.pairs.slots, last = run_.contact_turns;
    if (pair_slot_ < last) add_contact(contact_);
#pragma unroll 1
    for (int k = pair_slot_ + slots; k < last; k += slots) add_contact(system_.contact[k]);
  }
  /// Of a crowd two at a time.
  template <bool two>
  __device__ void add_listed() {
    const int slots = run_.pairs.slots;
    int k = first_listed_;
    std::uint32_t next = first_entry_;
#pragma unroll 1
    for (int round = 0; round < rounds_; round += two ? 2 : 1) {
      const Central one = pair_force(next, k < listed_pairs_);
      if constexpr (two) {
        const Central other = pair_force(entry(k + slots), k + slots < listed_pairs_);
        k += 2 * slots;
        next = entry(k);
        if (fabsf(one.along) < system_.small_pair && fabsf(other.along) < system_.small_pair) {
          add_pair(one);
          add_pair(other);
        } else {
          add_large(one, 0);
          add_large(other, 0);
        }
      } else {
        k += slots;
        if (round + 1 < rounds_) next = entry(k);
        if (fabsf(one.along) < system_.small_pair) {
          add_pair(one);
        } else {
          add_large(one, 0);
        }
      }
    }
  }
  /// By the first slot of pairs; rounded as a chain's bond.
  __device__ void add_umbrella() {
    if (system_.umbrella_first < 0 || pair_slot_ != 0) return;
    const int first = at(system_.umbrella_first), second = at(system_.umbrella_second);
    float f[3];
    Bond::forces(bond_between(places_[first], places_[second]),
                 run_.replicas.umbrella[replica_].parameter, f);
    if (!(fabsf(f[0]) + fabsf(f[1]) + fabsf(f[2]) < system_.largest_term)) {
      bad_ |= ResidentUnsure::unknown;
      return;
    }
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int quanta = __float2int_rn(f[axis]);
      atomicAdd(force_ + axis * resident_places + first, quanta);
      atomicAdd(force_ + axis * resident_places + second, -quanta);
    }
  }

  int pair_slot_ = -1;  // -1: none

 private:
  /// Bounds of forces are rounded themselves, and no force stands alone in them.
  static constexpr float largest_rounded = 0.999F * Mixed::product_limit;

  template <class T, class Column>
  [[nodiscard]] static __device__ T& at_byte(Column* column, std::uint32_t offset) {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(column) + offset);
  }
  /// A force along d on the own residue, and its opposite on the other; along in quanta/nm.
  struct Central {
    float along, dx, dy, dz;
    int own, partner;
  };
  using OneContact = ResidentContact<float, Contact>;
  [[nodiscard]] __device__ Central contact_force(const OneContact& contact) const {
    const int own = at(contact.keeper);
    const int partner = at(contact.other);
    const float4 mine = places_[own];
    const float4 other = places_[partner];
    float d[3];
    apart(mine, other, system_.scale.x, d);
    return {along_contact(d, contact) * strength_, d[0], d[1], d[2], own, partner};
  }
  __device__ void add_contact(const OneContact& contact) {
    const Central one = contact_force(contact);
    if (is_small(one)) {
      add_small(one);
    } else {
      add_large(one, magic_bits);
    }
  }
  /// Of a listed pair; none if it does not act or is out of range.
  [[nodiscard]] __device__ Central pair_force(std::uint32_t both, bool acts) const {
    const std::uint32_t own = both >> 16U, partner = both & 0xffffU;
    const float4 mine = at_byte<float4>(places_, own);
    const float4 other = at_byte<float4>(places_, partner);
    float d[3];
    apart(other, mine, system_.scale.x, d);
    const float r2 = squared_length(d);
    const Partners<Mixed> none{};
    const float along = system_.repulsion.force_over_distance(r2, {}, none, 0);
    acts = acts && system_.repulsion.in_range(r2, {}, none, 0);
    return {acts ? along : 0.0F,
            d[0],
            d[1],
            d[2],
            static_cast<int>(own >> 4U),
            static_cast<int>(partner >> 4U)};
  }
  __device__ void add_pair(const Central& pair) {
    const float d[3] = {pair.dx, pair.dy, pair.dz};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const unsigned quanta = rounded_bits(pair.along, d[axis]) - magic_bits;
      add(force_ + axis * resident_places + pair.own, quanta);
      add(force_ + axis * resident_places + pair.partner, 0U - quanta);
    }
  }
  /// Sixteen times the indices of both; where there is none, twice one that the warp's other lanes
  /// do not take.
  [[nodiscard]] __device__ std::uint32_t entry(int k) const {
    if (k < listed_pairs_) return lists_[(k << log_width()) + lane_];
    return (threadIdx.x & 31U) * 0x100010U;
  }
  [[nodiscard]] __device__ bool is_small(const Central& contact) const {
    return fabsf(contact.along) < system_.small_contact;
  }
  __device__ void add_small(const Central& contact) {
    const float d[3] = {contact.dx, contact.dy, contact.dz};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      int* const to = force_ + axis * resident_places;
      add(to + contact.own, rounded_bits(contact.along, d[axis]));
      add(to + contact.partner, rounded_bits(-contact.along, d[axis]));
    }
  }
  __device__ void add_large(const Central& f, unsigned offset) {
    bad_ |= add_large(f.along, f.dx, f.dy, f.dz, offset, force_ + f.own, force_ + f.partner,
                      heavy_ + lane_);
  }
  [[nodiscard]] static __device__ BondVector<float> bond_vector(const float4& from,
                                                                const float4& to, float scale) {
    float d[3];
    apart(from, to, scale, d);
    return BondVector<float>(d);
  }
  [[nodiscard]] __device__ BondVector<float> bond_between(const float4& from,
                                                          const float4& to) const {
    return bond_vector(from, to, system_.scale.x);
  }
  __device__ void flush(const unsigned* sum, int index) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      add(force_ + axis * resident_places + index, sum[axis]);
    }
  }

  /// The rare force whose rounding takes more than one addition; 1 if it is beyond its range. Of
  /// no object, which would have to stand in memory for it.
  static __device__ __noinline__ int add_large(float along, float dx, float dy, float dz,
                                               unsigned offset, int* own, int* partner,
                                               int* heavy) {
    const float d[3] = {dx, dy, dz};
    int largest = 0, bad = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const float plain = along * d[axis];
      if (!(plain < Mixed::term_limit && plain > -Mixed::term_limit)) {
        bad = 1;
        continue;
      }
      const int quanta = Mixed::product(along, d[axis]);
      largest = max(largest, abs(quanta));
      add(own + axis * resident_places, offset + static_cast<unsigned>(quanta));
      add(partner + axis * resident_places, offset - static_cast<unsigned>(quanta));
    }
    atomicAdd(heavy, (largest >> 12) + 1);
    return bad;
  }

  template <class Term>
  static __device__ void add_term(const float* f, int width, int* force, float& size) {
    for (int e = 0; e < Term::ends; ++e) {
      if (e == Term::closing) continue;
      for (int axis = 0; axis < 3; ++axis) {
        size += fabsf(f[3 * e + axis]);
        const int quanta = __float2int_rn(f[3 * e + axis]);
        atomicAdd(force + axis * resident_places + e * width, quanta);
        atomicAdd(force + axis * resident_places + Term::closing * width, -quanta);
      }
    }
  }
  enum Terms { bends = 1, turns = 2, all = 3 };
  __device__ int add_exactly(Terms which, int row) {
    return add_terms_exactly(which, places_ + at(row), force_ + at(row), 1 << log_width(),
                             system_.chain + row, system_.largest_term, system_.scale.x);
  }
  /// Terms with a force too large for one addition, or with no number; 1 if they are beyond their
  /// range. What others leave in their sums is left too.
  static __device__ __noinline__ int add_terms_exactly(Terms which, const float4* places,
                                                       int* force, int width,
                                                       const ChainTerms<float>* row,
                                                       float largest_term, float scale) {
    const ChainTerms<float> terms = *row;
    const auto a = bond_vector(places[0], places[width], scale);
    const auto b = bond_vector(places[width], places[2 * width], scale);
    const auto c = bond_vector(places[2 * width], places[3 * width], scale);
    const BondPlane<float> ab(a, b), bc(b, c);
    float f[12];
    float size = 0;
    if ((which & bends) != 0 && terms.bond[Bond::k] != 0) {
      Bond::forces(a, terms.bond, f);
      add_term<Bond>(f, width, force, size);
    }
    if ((which & bends) != 0 && terms.angle[Angle::k] != 0) {
      Angle::forces(a, b, ab, terms.angle, f);
      add_term<Angle>(f, width, force, size);
    }
    if ((which & turns) != 0 &&
        (terms.dihedral[Dihedral::k1] != 0 || terms.dihedral[Dihedral::k3] != 0)) {
      Dihedral::forces(a, b, ab, bc, terms.dihedral, f);
      add_term<Dihedral>(f, width, force, size);
    }
    for (int axis = 0; axis < 3; ++axis) {
      for (int e = 0; e < 4; ++e) {
        const int of_turns = e == 2 ? -3 : 1;
        int roundings = 0;
        if ((which & bends) != 0) roundings += roundings_of_terms(e) - of_turns;
        if ((which & turns) != 0) roundings += of_turns;
        add(force + axis * resident_places + e * width,
            static_cast<unsigned>(roundings) * magic_bits);
      }
    }
    return size < largest_term ? 0 : 1;
  }

  std::uint32_t* lists_;  // (residues * resident_pairs, width)
  float strength_ = 1;
  int first_half_;                 // of those whose pairs are looked at: row and half word
  OneContact contact_{};           // this slot's first
  int first_listed_ = 0;           // this slot's first
  std::uint32_t first_entry_ = 0;  // and what it is
  int rounds_ = 0;                 // of this warp through its listed pairs
  int listed_pairs_ = 0;           // of this lane's replica
};

}  // namespace nfold::kernels
