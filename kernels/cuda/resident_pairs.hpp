// Pair lists, contacts, pairs, charges and umbrella of a thread block of resident replicas.
// SPDX-License-Identifier: BSD-3-Clause
//
// Contacts and listed pairs are dealt to threads in turn. All forces are added in shared memory, in
// any order, whose accesses limit the speed of sticky chains.
#pragma once

#include "kernels/arithmetic/force_rounding.hpp"
#include "kernels/cuda/resident_block.hpp"
#include "kernels/potentials/bond.hpp"

namespace nfold::kernels {

template <ResidentPositionFormat kind, int fixed_log_width, class Contact>
class ResidentPairForces : protected ResidentBlock<kind, fixed_log_width, Contact> {
 public:
  using Block = ResidentBlock<kind, fixed_log_width, Contact>;
  __device__ ResidentPairForces(const ResidentRun<Contact>& run, char* shared)
      : Block(run, shared) {
    const std::int64_t entries = run.pairs_at_most + std::int64_t{run.charges_at_most};
    lists_ = run.lists + static_cast<std::int64_t>(blockIdx.x) * (entries << log_width());
    const int halves = 2 * run.system.mask_words;
    first_half_ = (slot_ / halves) << 8 | slot_ % halves;
  }

 protected:
  using Block::bad_, Block::force_, Block::large_force_weight_, Block::lane_, Block::listed_,
      Block::rounded_position_, Block::types_;
  using Block::displacement, Block::at, Block::add, Block::log_width, Block::magic_bits,
      Block::rounded_bits, Block::slot_in, Block::warp_slots;
  using Block::pairs_listed_, Block::replica_, Block::run_, Block::slot_, Block::system_;

  static constexpr bool is_sticky = ResidentModel<Contact>::is_sticky;
  /// Consecutive listed pairs that a thread takes at once. A residue's pairs follow each other.
  static constexpr int run_length = is_sticky ? 4 : 1;

  /// Builds the lists. Called by all threads, between two barriers.
  __device__ void make_lists() {
    find_pairs(system_.kept_pairs, system_.list_range_squared, pairs_listed_ + lane_,
               run_.pairs_at_most, lists_);
    if constexpr (is_sticky) {
      if (run_.charges_at_most > 0) {
        find_pairs(system_.kept_charge_pairs, system_.charge_range_squared,
                   pairs_listed_ + 32 + lane_, run_.charges_at_most, list_of_charges());
      }
    }
    __syncthreads();
    listed_pairs_ = taken(pairs_listed_, run_.pairs_at_most, first_listed_, run_length, rounds_);
    if constexpr (is_sticky) {
      listed_charges_ =
          taken(pairs_listed_ + 32, run_.charges_at_most, max(pair_slot_, 0), 1, charge_rounds_);
    } else {
      first_entry_ = entry(first_listed_);
    }
  }
  /// Finds the pairs in range. The thread that finds a pair determines only its index in the list,
  /// not the bits of a force.
  __device__ void find_pairs(const std::uint32_t* kept_pairs, float range_squared, int* listed,
                             int capacity, std::uint32_t* list) {
    const int halves = 2 * system_.mask_words;
    int row = first_half_ >> 8, half = first_half_ & 0xff;
#pragma unroll 1
    while (row < system_.residues) {
      std::uint32_t bits = kept_pairs[row * system_.mask_words + (half >> 1)];
      bits = (half & 1) != 0 ? bits >> 16U : bits & 0xffffU;
      const float4 mine = rounded_position_[at(row)];
      std::uint32_t hits = 0;
      // A residue keeps either the odd or the even pairs of most half words. Indices beyond the
      // last residue are within this memory, and `bits` excludes them.
      for (int odd = (bits & 0x5555U) != 0 ? 0 : 1; odd < 2; ++odd) {
        if ((bits >> static_cast<unsigned>(odd) & 0x5555U) == 0) break;
        const float4* const others = rounded_position_ + at(half * 16 + odd);
#pragma unroll
        for (int j = 0; j < 16; j += 2) {
          const float4 other = others[j << log_width()];
          float d[3];
          displacement(other, mine, system_.scale.x, d);
          const float r2 = squared_length(d);
          if (r2 < range_squared) hits |= 1U << static_cast<unsigned>(j + odd);
        }
      }
      hits &= bits;
      if (hits != 0) {
        int index = atomicAdd(listed, __popc(hits));
        while (hits != 0 && index < capacity) {
          const int j = 31 - __clz(static_cast<int>(hits));
          hits ^= 1U << static_cast<unsigned>(j);
          list[(index << log_width()) + lane_] =
              (static_cast<std::uint32_t>(at(row)) << 20U) |
              (static_cast<std::uint32_t>(at(half * 16 + j)) << 4U);
          ++index;
        }
      }
      row += run_.rows_on;
      half += run_.halves_on;
      if (half >= halves) {
        half -= halves;
        ++row;
      }
    }
  }
  /// Returns the number of listed pairs of this lane's replica. rounds: trips of this warp through
  /// a loop over runs of pairs, as many as its longest lane needs, since lanes that leave early
  /// cost more than idle ones. first: first run of this slot.
  __device__ int taken(const int* listed, int capacity, int first, int length, int& rounds) {
    int mine = listed[lane_];
    if (mine > capacity) {
      bad_ |= ResidentUnsure::out_of_range;
      mine = 0;
    }
    int most = 0;
    for (int k = 0; k < 1 << log_width(); ++k) most = max(most, min(listed[k], capacity));
    const int pairs = run_.pairs.slots * length;
    const int first_of_warp = (first & ~(warp_slots() - 1)) * length;
    rounds = most > first_of_warp ? (most - first_of_warp + pairs - 1) / pairs : 0;
    return mine;
  }

  /// Assigns contacts and listed pairs, as one sequence, to the slots of this role in turn. This
  /// slot's first are looked up once.
  __device__ void assign_pairs(int slot) {
    pair_slot_ = slot;
    first_listed_ = slot;
    if constexpr (!is_sticky) {
      strength_ = run_.replicas.contact_strength[replica_];
      while (first_listed_ < run_.padded_contacts) first_listed_ += run_.pairs.slots;
      first_listed_ -= run_.padded_contacts;
      if (slot < run_.padded_contacts) contact_ = system_.contact[slot];
    }
  }
  /// Adds contacts two at a time, which hides latency, for slots with many.
  __device__ void add_contacts() {
    const int slots = run_.pairs.slots, last = run_.padded_contacts;
    int k = pair_slot_;
#pragma unroll 1
    for (; k + slots < last; k += 2 * slots) {
      const Central one = contact_force(system_.contact[k]);
      const Central other = contact_force(system_.contact[k + slots]);
      if (is_small(one) && is_small(other)) {
        add_small(one);
        add_small(other);
      } else {
        add_large(one, magic_bits, no_range);
        add_large(other, magic_bits, no_range);
      }
    }
    if (k < last) add_contact(system_.contact[k]);
  }
  /// Adds contacts for slots with about one: the first is preloaded.
  __device__ void add_few_contacts() {
    const int slots = run_.pairs.slots, last = run_.padded_contacts;
    if (pair_slot_ < last) add_contact(contact_);
#pragma unroll 1
    for (int k = pair_slot_ + slots; k < last; k += slots) add_contact(system_.contact[k]);
  }
  /// Adds the listed pairs; two: two at a time, for crowds.
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
          add_large(one, 0, explosion_range(system_.pair));
          add_large(other, 0, explosion_range(system_.pair));
        }
      } else {
        k += slots;
        if (round + 1 < rounds_) next = entry(k);
        if (fabsf(one.along) < system_.small_pair) {
          add_pair(one);
        } else {
          add_large(one, 0, explosion_range(system_.pair));
        }
      }
    }
  }
  /// Adds the listed pairs of sticky chains. Forces on the residue that keeps consecutive pairs are
  /// summed in registers.
  __device__ void add_listed_runs() {
    const int on = run_.pairs.slots * run_length;
    unsigned sum[3] = {0, 0, 0};
    int own = at(0);
    int k = pair_slot_ * run_length;
#pragma unroll 1
    for (int round = 0; round < rounds_; ++round, k += on) {
      Central pair[run_length];
      bool are_small = true;
      std::uint32_t kept_by = 0;
      PairResidue mine;
#pragma unroll
      for (int j = 0; j < run_length; ++j) {
        const std::uint32_t both = entry(k + j);
        if (j == 0 || both >> 16U != kept_by) {
          kept_by = both >> 16U;
          mine = residue_at(kept_by);
        }
        pair[j] = pair_force(mine, both, k + j < listed_pairs_);
        are_small &= fabsf(pair[j].along) < system_.small_pair;
      }
#pragma unroll
      for (int j = 0; j < run_length; ++j) {
        if (pair[j].own != own) {
          move_sum(sum, own);
          own = pair[j].own;
        }
        if (are_small) {
          const float d[3] = {pair[j].dx, pair[j].dy, pair[j].dz};
#pragma unroll
          for (int axis = 0; axis < 3; ++axis) {
            const unsigned quanta = rounded_bits(pair[j].along, d[axis]) - magic_bits;
            sum[axis] += quanta;
            add(force_ + axis * resident_padded_capacity + pair[j].partner, 0U - quanta);
          }
        } else {
          add_large(pair[j], 0, explosion_range(system_.pair));
        }
      }
    }
    move_sum(sum, own);
  }
  /// Adds charge pairs.
  __device__ void add_listed_charges() {
    if (charge_rounds_ == 0) return;
    const int slots = run_.pairs.slots;
    const std::uint32_t* const list = list_of_charges();
    const DebyeHueckel<float> potential = run_.replicas.electrostatics[replica_];
    int k = pair_slot_;
#pragma unroll 1
    for (int round = 0; round < charge_rounds_; ++round, k += slots) {
      const bool acts = k < listed_charges_;
      const std::uint32_t both = acts ? list[(k << log_width()) + lane_] : no_entry();
      add_charges(potential, both, acts);
    }
  }
  /// Adds the umbrella force by the first slot of pairs, rounded like a chain's bond.
  __device__ void add_umbrella() {
    if (system_.umbrella_first < 0 || pair_slot_ != 0) return;
    const int first = at(system_.umbrella_first), second = at(system_.umbrella_second);
    float f[3];
    Bond::forces(bond_between(rounded_position_[first], rounded_position_[second]),
                 run_.replicas.umbrella[replica_].parameter, f);
    if (!(fabsf(f[0]) + fabsf(f[1]) + fabsf(f[2]) < system_.largest_term)) {
      bad_ |= ResidentUnsure::out_of_range;
      return;
    }
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int quanta = __float2int_rn(f[axis]);
      atomicAdd(force_ + axis * resident_padded_capacity + first, quanta);
      atomicAdd(force_ + axis * resident_padded_capacity + second, -quanta);
    }
  }

  [[nodiscard]] static __device__ BondVector<float> bond_vector(const float4& from,
                                                                const float4& to, float scale) {
    float d[3];
    displacement(from, to, scale, d);
    return BondVector<float>(d);
  }
  [[nodiscard]] __device__ BondVector<float> bond_between(const float4& from,
                                                          const float4& to) const {
    return bond_vector(from, to, system_.scale.x);
  }

  int pair_slot_ = -1;  // -1: none

 private:
  template <class T, class Column>
  [[nodiscard]] static __device__ T& at_byte(Column* column, std::uint32_t offset) {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(column) + offset);
  }
  /// Force along d on the own residue, and its opposite on the partner; along: [quanta/nm].
  struct Central {
    float along, dx, dy, dz;
    int own, partner;
  };
  using OneContact = ResidentContact<float, Contact>;
  [[nodiscard]] __device__ Central contact_force(const OneContact& contact) const {
    const int own = at(contact.keeper);
    const int partner = at(contact.other);
    const float4 mine = rounded_position_[own];
    const float4 other = rounded_position_[partner];
    float d[3];
    displacement(mine, other, system_.scale.x, d);
    return {contact_force_over_distance(d, contact) * strength_, d[0], d[1], d[2], own, partner};
  }
  __device__ void add_contact(const OneContact& contact) {
    const Central one = contact_force(contact);
    if (is_small(one)) {
      add_small(one);
    } else {
      add_large(one, magic_bits, no_range);
    }
  }
  /// Position of a residue, and what its pair potential reads.
  struct PairResidue {
    float4 position;
    Partners<Mixed> data;
  };
  [[nodiscard]] __device__ PairResidue residue_at(std::uint32_t byte) const {
    const float4 position = at_byte<float4>(rounded_position_, byte);
    return {position, as_partner(position)};
  }
  /// Returns the force of a listed pair; zero if it is inactive or out of range.
  [[nodiscard]] __device__ Central pair_force(std::uint32_t both, bool acts) const {
    return pair_force(residue_at(both >> 16U), both, acts);
  }
  [[nodiscard]] __device__ Central pair_force(const PairResidue& mine, std::uint32_t both,
                                              bool acts) const {
    const std::uint32_t own = both >> 16U, partner = both & 0xffffU;
    const PairResidue other = residue_at(partner);
    float d[3];
    displacement(other.position, mine.position, system_.scale.x, d);
    const float r2 = squared_length(d);
    const auto& pair = system_.pair;
    const auto as_own = pair.own(mine.data);
    const float along = pair.force_over_distance(r2, as_own, other.data, 0);
    acts = acts && pair.in_range(r2, as_own, other.data, 0);
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
      add(force_ + axis * resident_padded_capacity + pair.own, quanta);
      add(force_ + axis * resident_padded_capacity + pair.partner, 0U - quanta);
    }
  }
  /// Adds a sum of forces on a residue and begins the next one.
  __device__ void move_sum(unsigned* sum, int residue) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      add(force_ + axis * resident_padded_capacity + residue, sum[axis]);
      sum[axis] = 0;
    }
  }
  /// Returns the pair data of the residue at a position.
  [[nodiscard]] __device__ Partners<Mixed> as_partner(const float4& position) const {
    Partners<Mixed> p;
    if constexpr (is_sticky) {
      p.kind[0] = to_bits(position.w);
      const auto type = types_[p.kind[0] & (types_at_most - 1)];
      p.half_sigma[0] = type.half_sigma;
      p.half_lambda[0] = type.half_lambda;
    }
    return p;
  }
  /// Returns the charge of the residue at a byte offset.
  [[nodiscard]] __device__ Partners<Mixed> charge_of(std::uint32_t byte) const {
    Partners<Mixed> p;
    p.charge[0] = system_.residue[byte >> (4U + static_cast<unsigned>(log_width()))].charge;
    return p;
  }
  /// Adds a charge pair. Forces on both charges are rounded separately, as in the general path: the
  /// products of three numbers may differ.
  __device__ void add_charges(const DebyeHueckel<float>& potential, std::uint32_t both, bool acts) {
    const std::uint32_t own = both >> 16U, partner = both & 0xffffU;
    float d[3];
    displacement(at_byte<float4>(rounded_position_, partner),
                 at_byte<float4>(rounded_position_, own), system_.scale.x, d);
    const float r2 = squared_length(d);
    const Partners<Mixed> mine = charge_of(own), other = charge_of(partner);
    const auto as_own = potential.own(mine), as_other = potential.own(other);
    acts = acts && potential.in_range(r2, as_own, other, 0);
    const float on_own = acts ? potential.force_over_distance(r2, as_own, other, 0) : 0.0F;
    const float on_other = acts ? potential.force_over_distance(r2, as_other, mine, 0) : 0.0F;
    int* const to_own = force_ + (own >> 4U);
    int* const to_other = force_ + (partner >> 4U);
    if (fabsf(on_own) < system_.small_charges && fabsf(on_other) < system_.small_charges) {
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        add(to_own + axis * resident_padded_capacity, rounded_bits(on_own, d[axis]) - magic_bits);
        add(to_other + axis * resident_padded_capacity,
            magic_bits - rounded_bits(on_other, d[axis]));
      }
    } else {
      // The opposite force goes to a padding row.
      const int nowhere = at(system_.residues);
      const float range = explosion_range(potential);
      add_large({on_own, d[0], d[1], d[2], static_cast<int>(own >> 4U), nowhere}, 0, range);
      add_large({-on_other, d[0], d[1], d[2], static_cast<int>(partner >> 4U), nowhere}, 0, range);
    }
  }
  /// Returns an entry whose indices differ between the lanes of a warp.
  [[nodiscard]] static __device__ std::uint32_t no_entry() {
    return (threadIdx.x & 31U) * 0x100010U;
  }
  /// Returns a list entry: 16 times both indices, in 16 bits each.
  [[nodiscard]] __device__ std::uint32_t entry(int k) const {
    return k < listed_pairs_ ? lists_[(k << log_width()) + lane_] : no_entry();
  }
  [[nodiscard]] __device__ std::uint32_t* list_of_charges() const {
    return lists_ + (static_cast<std::int64_t>(run_.pairs_at_most) << log_width());
  }
  [[nodiscard]] __device__ bool is_small(const Central& contact) const {
    return fabsf(contact.along) < system_.small_contact;
  }
  __device__ void add_small(const Central& contact) {
    const float d[3] = {contact.dx, contact.dy, contact.dz};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      int* const to = force_ + axis * resident_padded_capacity;
      add(to + contact.own, rounded_bits(contact.along, d[axis]));
      add(to + contact.partner, rounded_bits(-contact.along, d[axis]));
    }
  }
  __device__ void add_large(const Central& f, unsigned offset, float range) {
    bad_ |= add_large(f.along, f.dx, f.dy, f.dz, range, offset, force_ + f.own, force_ + f.partner,
                      large_force_weight_ + lane_);
  }
  /// Adds a rare force too large for rounding by one addition. Returns 1 if it is out of range.
  /// Static: an object would have to be in memory for the call.
  static __device__ __noinline__ int add_large(float along, float dx, float dy, float dz,
                                               float range, unsigned offset, int* own, int* partner,
                                               int* heavy) {
    const auto force = WidePairForce::of(along, dx, dy, dz, range);
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const auto quanta = static_cast<unsigned>(force.quanta[axis]);
      add(own + axis * resident_padded_capacity, offset + quanta);
      add(partner + axis * resident_padded_capacity, offset - quanta);
    }
    atomicAdd(heavy, force.weight);
    return force.bad;
  }

  std::uint32_t* lists_;  // (pairs_at_most + charges_at_most, width) of this block
  float strength_ = 1;
  int first_half_;                 // this thread's first row << 8 | half word in find_pairs
  OneContact contact_{};           // first contact of this slot
  int first_listed_ = 0;           // first listed pair of this slot
  std::uint32_t first_entry_ = 0;  // its list entry
  int rounds_ = 0;                 // trips of this warp through its listed pairs
  int listed_pairs_ = 0;           // number, of this lane's replica
  int listed_charges_ = 0, charge_rounds_ = 0;
};

}  // namespace nfold::kernels
