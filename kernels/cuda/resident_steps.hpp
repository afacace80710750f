// Many replicas of a small system, many steps a launch: a block keeps a group of them.
// SPDX-License-Identifier: BSD-3-Clause
//
// Where a warp's lanes are replicas, none waits for another's contacts and all read one parameter.
// A thread walks along a few consecutive residues of one replica, whose chain terms share their
// vectors and planes; all forces are added up in shared memory, in any order. So who does what is
// free: where replicas are many, each thread does some of all; where they are few, terms, pairs and
// the integrator have threads of their own and are at work at once.
#pragma once

#include "kernels/angle.hpp"
#include "kernels/bond.hpp"
#include "kernels/cuda/resident_run.hpp"
#include "kernels/cuda/split_barrier.hpp"
#include "kernels/dihedral.hpp"

namespace nfold::kernels {

/// draws_late: where each thread does some of all, noise fills the time that others need.
template <bool draws_late, class Contact>
class ResidentBlock {
 public:
  __device__ ResidentBlock(const ResidentRun<Contact>& run, char* shared)
      : run_(run),
        system_(run.system),
        lane_(static_cast<int>(threadIdx.x) & ((1 << run.log_width) - 1)),
        barrier_(shared + resident_barrier_place) {
    places_ = reinterpret_cast<float4*>(shared);
    force_ = reinterpret_cast<int*>(places_ + resident_places);
    position_ = reinterpret_cast<std::int64_t*>(force_ + resident_places * 3);
    velocity_ = reinterpret_cast<double*>(position_ + resident_held * 3);
    listed_ = reinterpret_cast<float*>(velocity_ + resident_held * 3);
    heavy_ = reinterpret_cast<int*>(listed_ + resident_held * 3);
    replica_ = (static_cast<int>(blockIdx.x) << run.log_width) + lane_;
    number_ = run.replicas.number[replica_];
    lists_ = run.lists +
             static_cast<std::int64_t>(blockIdx.x) * resident_rows * resident_quads * blockDim.x +
             threadIdx.x;
  }

  __device__ void advance() {
    load();
    bool rebuild = true;
    for (std::int64_t step = 0;; ++step) {
      if (rebuild) make_lists();
      add_terms();
      add_pairs();
      if (step == run_.steps) break;
      const auto number = run_.first_step + static_cast<std::uint64_t>(step);
      if constexpr (draws_late) {
        barrier_.arrive();
        draw(number);
        barrier_.wait(static_cast<unsigned>(step & 1));
      } else {
        draw(number);
        __syncthreads();
      }
      end_phase(step);
      const bool moved = step == 0 ? begin_step<false>() : begin_step<true>();
      rebuild = __syncthreads_or(moved) != 0;
    }
    __syncthreads();
    end_phase(run_.steps);
    finish();
  }

 private:
  struct Rows {
    int first, last;  // none if they are equal
  };
  /// Those of this thread in a role; of slots that share rows, the same for each.
  [[nodiscard]] __device__ Rows rows_of(const ResidentRole& role, int log_parts) const {
    const int slot = (static_cast<int>(threadIdx.x) >> run_.log_width) - role.first;
    const int first = (slot >> log_parts) * role.rows;
    if (slot < 0 || first >= system_.residues) return {0, 0};
    return {first, min(first + role.rows, system_.residues)};
  }
  __device__ void end_phase(std::int64_t step) {
    if (heavy_[lane_] > system_.heavy_limit) bad_ = 1;
    // The other half's sums were looked at before the last barrier but one.
    heavy_ += (step & 1) != 0 ? -32 : 32;
    if (threadIdx.x < 32) heavy_[threadIdx.x] = 0;
  }
  [[nodiscard]] __device__ int at(int row) const { return (row << run_.log_width) + lane_; }
  [[nodiscard]] __device__ std::int64_t global_index(int row, int axis) const {
    const std::int64_t group = blockIdx.x;
    return (((group * system_.residues + row) * 3 + axis) << run_.log_width) + lane_;
  }

  /// Places are floats relative to one residue: exact up to 16 nm from it, and so are differences
  /// of them as general ones of coordinates.
  __device__ float4 put_place(int index, const std::int64_t* q) {
    float x[3];
    for (int axis = 0; axis < 3; ++axis) {
      const int d = Mixed::difference(Mixed::coordinate(q[axis]), origin_[axis]);
      constexpr int span = 1 << 24;
      if (abs(d) > span) bad_ = 1;
      x[axis] = static_cast<float>(d) * system_.scale.x;
    }
    const float4 place = make_float4(x[0], x[1], x[2], 0.0F);
    places_[index] = place;
    return place;
  }

  __device__ void load() {
    for (auto i = threadIdx.x; i < resident_places; i += blockDim.x) {
      // Rows that only pad stand far from all and from each other.
      const float far = 1e4F + 100.0F * static_cast<float>(i >> run_.log_width);
      places_[i] = make_float4(far, far, far, 0.0F);
    }
    for (auto i = threadIdx.x; i < resident_places * 3; i += blockDim.x) force_[i] = 0;
    if (threadIdx.x < 64) heavy_[threadIdx.x] = 0;
    if (threadIdx.x == 0) barrier_.init();
    for (int axis = 0; axis < 3; ++axis) {
      origin_[axis] =
          Mixed::coordinate(run_.replicas.position[global_index(system_.residues / 2, axis)]);
    }
    __syncthreads();
    const Rows rows = rows_of(run_.moves, 0);
    for (int row = rows.first; row < rows.last; ++row) {
      std::int64_t q[3];
      for (int axis = 0; axis < 3; ++axis) {
        q[axis] = run_.replicas.position[global_index(row, axis)];
        position_[axis * resident_held + at(row)] = q[axis];
        velocity_[axis * resident_held + at(row)] = run_.replicas.velocity[global_index(row, axis)];
      }
      put_place(at(row), q);
    }
    __syncthreads();
  }

  __device__ void finish() {
    const Rows rows = rows_of(run_.moves, 0);
    for (int row = rows.first; row < rows.last; ++row) {
      const double half = system_.half_kick[system_.mass_class[row]];
      for (int axis = 0; axis < 3; ++axis) {
        const int f = force_[axis * resident_places + at(row)];
        const double force = f;
        bad_ |= is_beyond<Mixed>(force);
        const auto to = global_index(row, axis);
        if (run_.steps > 0) {
          run_.replicas.velocity[to] =
              kicked<false>(velocity_[axis * resident_held + at(row)], force, half);
        }
        run_.replicas.position[to] = position_[axis * resident_held + at(row)];
        run_.replicas.force[to] = f;
      }
    }
    if (bad_ != 0) run_.replicas.unsure[replica_] = 1;
  }

  __device__ void draw(std::uint64_t step) {
    const Rows rows = rows_of(run_.moves, 0);
#pragma unroll
    for (int k = 0; k < resident_rows; ++k) {
      if (rows.first + k >= rows.last) continue;
      draw_noise(system_.keys, number_, rows.first + k, step, normal_[k][0], normal_[k][1],
                 normal_[k][2]);
    }
  }
  /// Ends the step before, if there was one, and moves the residues through the next.
  template <bool ends_one>
  __device__ bool begin_step() {
    bool moved = false;
    const Rows rows = rows_of(run_.moves, 0);
    double half = system_.half_kick[0];
    double noise = run_.replicas.noise[replica_];
#pragma unroll
    for (int k = 0; k < resident_rows; ++k) {
      const int row = rows.first + k;
      if (row >= rows.last) continue;
      const int index = at(row);
      if (system_.classes > 1) {
        const int mass_class = system_.mass_class[row];
        half = system_.half_kick[mass_class];
        noise = run_.replicas.noise[((static_cast<std::int64_t>(mass_class) * run_.replicas.groups)
                                     << run_.log_width) +
                                    replica_];
      }
      std::int64_t q[3];
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        int* const f = force_ + axis * resident_places + index;
        double* const v = velocity_ + axis * resident_held + index;
        std::int64_t* const p = position_ + axis * resident_held + index;
        const double force = exact_double(*f);
        *f = 0;
        bool bad = is_beyond<Mixed>(force) != 0;
        double u = kicked<ends_one>(*v, force, half);
        q[axis] = *p;
        bad |= drift<true>(u, q[axis], system_.constants.half_drift[axis],
                           system_.constants.half_drift_limit[axis],
                           system_.constants.velocity_decay, noise, normal_[k][axis]) != 0;
        *v = u;
        *p = q[axis];
        if (bad) bad_ = 1;
      }
      const float4 now = put_place(index, q);
      const float dx = now.x - listed_[index];
      const float dy = now.y - listed_[resident_held + index];
      const float dz = now.z - listed_[2 * resident_held + index];
      moved |= !(squared_length(dx, dy, dz) <= system_.largest_move_squared);
    }
    return moved;
  }
  [[nodiscard]] static __device__ double exact_double(int n) {
    return __hiloint2double(0x43300000, n ^ static_cast<int>(0x80000000U)) - 0x1.000008p52;
  }

  __device__ void make_lists() {
    const Rows moves = rows_of(run_.moves, 0);
    for (int row = moves.first; row < moves.last; ++row) {
      const float4 mine = places_[at(row)];
      listed_[at(row)] = mine.x;
      listed_[resident_held + at(row)] = mine.y;
      listed_[2 * resident_held + at(row)] = mine.z;
    }
    const int far_index = system_.residues << run_.log_width;
    // Bits of the residues that are this part's.
    const std::uint32_t share = parts_mask();
    uint2* list = lists_;
    quads_ = 0;
    const Rows rows = rows_of(run_.pairs, run_.log_parts);
#pragma unroll 1
    for (int row = rows.first; row < rows.last; ++row) {
      const float4 mine = places_[at(row)];
      std::uint64_t four = 0;
      int count = 0;
      const auto add = [&](int index) {
        four = (four >> 16U) | (static_cast<std::uint64_t>(index) << 48U);
        ++count;
        if ((count & 3) != 0 || count > 4 * resident_quads) return;
        list[(count / 4 - 1) * static_cast<int>(blockDim.x)] =
            make_uint2(static_cast<unsigned>(four), static_cast<unsigned>(four >> 32U));
      };
      const std::uint32_t* const mask = system_.looks_after + row * system_.mask_words;
      for (int word = 0; word < system_.mask_words; ++word) {
        std::uint32_t bits = mask[word] & share;
        while (bits != 0) {
          const int j = word * 32 + __ffs(static_cast<int>(bits)) - 1;
          bits &= bits - 1;
          const float4 other = places_[at(j)];
          const float r2 = squared_length(mine.x - other.x, mine.y - other.y, mine.z - other.z);
          if (r2 < system_.list_range_squared) add(j << run_.log_width);
        }
      }
      while ((count & 3) != 0) add(far_index);
      if (count > 4 * resident_quads) {
        bad_ = 1;
        count = 4 * resident_quads;
      }
      quads_ |= static_cast<std::uint32_t>(count / 4)
                << static_cast<unsigned>(8 * (row - rows.first));
      list += resident_quads * static_cast<int>(blockDim.x);
    }
  }
  [[nodiscard]] __device__ int part() const {
    const int slot = (static_cast<int>(threadIdx.x) >> run_.log_width) - run_.pairs.first;
    return slot & ((1 << run_.log_parts) - 1);
  }
  [[nodiscard]] __device__ std::uint32_t parts_mask() const {
    std::uint32_t mask = 0xffffffffU;
    if (run_.log_parts == 1) mask = 0x55555555U;
    if (run_.log_parts == 2) mask = 0x11111111U;
    if (run_.log_parts == 3) mask = 0x01010101U;
    return mask << static_cast<unsigned>(part());
  }

  /// The rare force whose rounding takes more than one addition; 1 if it is beyond its range. Of
  /// no object, which would have to stand in memory for it.
  static __device__ __noinline__ int add_large(float along, float dx, float dy, float dz, int* own,
                                               int* partner, int* heavy) {
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
      atomicAdd(own + axis * resident_places, quanta);
      atomicAdd(partner + axis * resident_places, -quanta);
    }
    atomicAdd(heavy, (largest >> 12) + 1);
    return bad;
  }
  /// Force along d on the own residue, and its opposite on the other; along in quanta/nm.
  __device__ void give(float along, const float* d, float small, int* sum, int own, int partner) {
    if (!(fabsf(along) < small)) {
      bad_ |= add_large(along, d[0], d[1], d[2], force_ + own, force_ + partner, heavy_ + lane_);
      return;
    }
    int* const other = force_ + partner;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int quanta = Mixed::small_product(along, d[axis]);
      sum[axis] += quanta;
      atomicAdd(other + axis * resident_places, -quanta);
    }
  }

  __device__ BondVector<float> bond_vector(const float4& from, const float4& to) const {
    const float d[3] = {to.x - from.x, to.y - from.y, to.z - from.z};
    return BondVector<float>(d);
  }
  template <class Term>
  __device__ void add_term(const float* f, int (*sum)[3], float& size) const {
#pragma unroll
    for (int e = 0; e < Term::ends; ++e) {
      if (e == Term::closing) continue;
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        size += fabsf(f[3 * e + axis]);
        const int quanta = __float2int_rn(f[3 * e + axis]);
        sum[e][axis] += quanta;
        sum[Term::closing][axis] -= quanta;
      }
    }
  }
  __device__ void flush(const int* sum, int row) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      atomicAdd(force_ + axis * resident_places + at(row), sum[axis]);
    }
  }

  __device__ void add_terms() {
    const Rows rows = rows_of(run_.terms, 0);
    if (rows.first == rows.last) return;
    int sum[4][3] = {};
    const float4 second = places_[at(rows.first + 1)];
    BondVector<float> a = bond_vector(places_[at(rows.first)], second);
    float4 next = places_[at(rows.first + 2)];
    BondVector<float> b = bond_vector(second, next);
    BondPlane<float> ab(a, b);
#pragma unroll 1
    for (int row = rows.first; row < rows.last; ++row) {
      const float4 far = places_[at(row + 3)];
      const BondVector<float> c = bond_vector(next, far);
      const BondPlane<float> bc(b, c);
      const ChainTerms<float> terms = system_.chain[row];
      float f[12];
      float size = 0;
      if (terms.bond[Bond::k] != 0) {
        Bond::forces(a, terms.bond, f);
        add_term<Bond>(f, sum, size);
      }
      if (terms.angle[Angle::k] != 0) {
        Angle::forces(a, b, ab, terms.angle, f);
        add_term<Angle>(f, sum, size);
      }
      if (terms.dihedral[Dihedral::k1] != 0 || terms.dihedral[Dihedral::k3] != 0) {
        Dihedral::forces(a, b, ab, bc, terms.dihedral, f);
        add_term<Dihedral>(f, sum, size);
      }
      if (!(size < system_.largest_term)) bad_ = 1;
      flush(sum[0], row);
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        sum[0][axis] = sum[1][axis];
        sum[1][axis] = sum[2][axis];
        sum[2][axis] = sum[3][axis];
        sum[3][axis] = 0;
      }
      a = b;
      b = c;
      ab = bc;
      next = far;
    }
#pragma unroll
    for (int k = 0; k < 3; ++k) flush(sum[k], rows.last + k);
  }
  __device__ void add_pairs() {
    add_contacts();
    if (system_.umbrella_first >= 0) add_umbrella();
    const Rows rows = rows_of(run_.pairs, run_.log_parts);
    const uint2* list = lists_;
    std::uint32_t quads = quads_;
#pragma unroll 1
    for (int row = rows.first; row < rows.last; ++row, quads >>= 8U) {
      const int count = static_cast<int>(quads & 0xffU);
      if (count > 0) {
        int sum[3] = {};
        add_listed(row, places_[at(row)], list, count, sum);
        flush(sum, row);
      }
      list += resident_quads * static_cast<int>(blockDim.x);
    }
  }
  /// All contacts in turn over the slots of this role: residues have few or many.
  __device__ void add_contacts() {
    const int slot = (static_cast<int>(threadIdx.x) >> run_.log_width) - run_.pairs.first;
    if (slot < 0 || slot >= run_.pair_slots) return;
    const float strength = run_.replicas.contact_strength[replica_];
#pragma unroll 1
    for (int k = slot; k < system_.contacts; k += run_.pair_slots) {
      const auto contact = system_.contact[k];
      const int own = at(contact.keeper);
      const int partner = at(contact.other);
      const float4 mine = places_[own];
      const float4 other = places_[partner];
      const float d[3] = {other.x - mine.x, other.y - mine.y, other.z - mine.z};
      int sum[3] = {};
      give(along_contact(d, contact) * strength, d, system_.small_contact, sum, own, partner);
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        atomicAdd(force_ + axis * resident_places + own, sum[axis]);
      }
    }
  }
  /// By the first slot of this role; rounded as a chain's bond.
  __device__ void add_umbrella() {
    if ((static_cast<int>(threadIdx.x) >> run_.log_width) != run_.pairs.first) return;
    const int first = at(system_.umbrella_first), second = at(system_.umbrella_second);
    float f[3];
    Bond::forces(bond_vector(places_[first], places_[second]),
                 run_.replicas.umbrella[replica_].parameter, f);
    if (!(fabsf(f[0]) + fabsf(f[1]) + fabsf(f[2]) < system_.largest_term)) {
      bad_ = 1;
      return;
    }
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      const int quanta = __float2int_rn(f[axis]);
      atomicAdd(force_ + axis * resident_places + first, quanta);
      atomicAdd(force_ + axis * resident_places + second, -quanta);
    }
  }
  __device__ void add_listed(int row, const float4& mine, const uint2* list, int quads, int* sum) {
    const Partners<Mixed> none{};
#pragma unroll 1
    for (int k = 0; k < quads; ++k, list += blockDim.x) {
      const uint2 four = *list;
      const unsigned entry[4] = {four.x & 0xffffU, four.x >> 16U, four.y & 0xffffU, four.y >> 16U};
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const int partner = static_cast<int>(entry[q]) + lane_;
        const float4 other = places_[partner];
        const float d[3] = {mine.x - other.x, mine.y - other.y, mine.z - other.z};
        const float r2 = squared_length(d);
        if (!system_.repulsion.in_range(r2, {}, none, 0)) continue;
        give(system_.repulsion.force_over_distance(r2, {}, none, 0), d, system_.small_pair, sum,
             at(row), partner);
      }
    }
  }

  const ResidentRun<Contact>& run_;
  const ResidentSystem<Contact>& system_;
  int lane_, replica_;
  SplitBarrier barrier_;
  std::uint32_t number_;
  std::uint32_t quads_ = 0;  // fours of list entries of each residue, 8 bits each
  int origin_[3];
  int bad_ = 0;
  float normal_[resident_rows][3];
  float4* places_;          // (resident_places) [nm]
  int* force_;              // (3, resident_places) [quanta]
  std::int64_t* position_;  // (3, resident_held)
  double* velocity_;
  float* listed_;  // (3, resident_held) places when the lists were made
  int* heavy_;     // (32) of this step, and 32 of the next
  uint2* lists_;
};

template <bool draws_late, class Contact>
__global__ void __launch_bounds__(resident_threads, 1)
    advance_resident(const __grid_constant__ ResidentRun<Contact> run) {
  extern __shared__ __align__(16) char resident_shared[];
  ResidentBlock<draws_late, Contact>(run, resident_shared).advance();
}

}  // namespace nfold::kernels
