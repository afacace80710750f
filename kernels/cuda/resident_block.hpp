// Shared memory layout and common data of a thread block of resident replicas.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/cuda/resident_run.hpp"
#include "kernels/cuda/split_barrier.hpp"

namespace nfold::kernels {

/// Thread block that keeps a group of replicas in shared memory. Lanes of a warp are replicas, so
/// none waits for another's contacts and all read the same parameter. fixed_log_width:
/// run.log_width, or -1 for any.
template <ResidentPositionFormat kind, int fixed_log_width, class Contact>
class ResidentBlock {
 public:
  __device__ ResidentBlock(const ResidentRun<Contact>& run, char* shared)
      : run_(run),
        system_(run.system),
        lane_(static_cast<int>(threadIdx.x) & ((1 << log_width()) - 1)),
        slot_(static_cast<int>(threadIdx.x) >> log_width()),
        barrier_(shared + resident_barrier_offset) {
    rounded_position_ = reinterpret_cast<float4*>(shared);
    force_ = reinterpret_cast<int*>(rounded_position_ + resident_padded_capacity);
    exact_position_ = reinterpret_cast<std::int64_t*>(force_ + resident_padded_capacity * 3);
    velocity_ = reinterpret_cast<double*>(exact_position_ + resident_capacity * 3);
    listed_ = reinterpret_cast<float*>(velocity_ + resident_capacity * 3);
    large_force_weight_ = reinterpret_cast<int*>(listed_ + resident_capacity * 3);
    pairs_listed_ = large_force_weight_ + 64;
    shift_ = reinterpret_cast<std::uint64_t*>(shared + resident_shift_offset);
    types_ = reinterpret_cast<TypeData*>(shared + resident_types_offset);
    replica_ = (static_cast<int>(blockIdx.x) << log_width()) + lane_;
  }

 protected:
  [[nodiscard]] __device__ int log_width() const {
    return fixed_log_width >= 0 ? fixed_log_width : run_.log_width;
  }
  [[nodiscard]] __device__ int warp_slots() const { return max(32 >> log_width(), 1); }
  /// Returns this thread's slot in a role, -1 if it has none.
  [[nodiscard]] __device__ int slot_in(const ResidentRole& role) const {
    const int slot = slot_ - role.first;
    return slot < role.slots ? max(slot, -1) : -1;
  }
  [[nodiscard]] __device__ int at(int row) const { return (row << log_width()) + lane_; }

  /// Returns the displacement [nm] from one position to another along an axis, with the bits of the
  /// general path.
  [[nodiscard]] static __device__ float displacement(float from, float to, float scale) {
    if constexpr (kind == ResidentPositionFormat::floats) {
      return to - from;
    } else {
      return Mixed::to_nm(Mixed::difference(to_bits(to), to_bits(from)), scale);
    }
  }
  static __device__ void displacement(const float4& from, const float4& to, float scale, float* d) {
    d[0] = displacement(from.x, to.x, scale);
    d[1] = displacement(from.y, to.y, scale);
    d[2] = displacement(from.z, to.z, scale);
  }

  /// Forces rounded by adding Mixed::magic keep its bits. The number of roundings of a residue is
  /// known in advance, except for listed pairs, and subtracted at the start.
  static constexpr auto magic_bits = static_cast<unsigned>(0x4b400000);
  static_assert(Mixed::magic == 0x1.8p23F);
  [[nodiscard]] static __device__ unsigned rounded_bits(float force) {
    return static_cast<unsigned>(to_bits(force + Mixed::magic));
  }
  [[nodiscard]] static __device__ unsigned rounded_bits(float along, float d) {
    return static_cast<unsigned>(to_bits(fused(along, d, Mixed::magic)));
  }
  /// Data of a type that a pair potential reads.
  struct alignas(8) TypeData {
    float half_sigma, half_lambda;
  };
  static __device__ void add(int* to, unsigned quanta) { atomicAdd(to, static_cast<int>(quanta)); }

  const ResidentRun<Contact>& run_;
  const ResidentSystem<Contact>& system_;
  int lane_, slot_, replica_;
  SplitBarrier barrier_;
  int bad_ = 0;  // bits of ResidentUnsure
  // (resident_padded_capacity) of ResidentPositionFormat; w of sticky chains: bits of the kind.
  float4* rounded_position_;
  int* force_;                    // (3, resident_padded_capacity) [quanta]
  std::int64_t* exact_position_;  // (3, resident_capacity) [2^-44 turns] plus shift_
  double* velocity_;
  float* listed_;            // (3, resident_capacity) rounded positions at the last rebuild
  int* large_force_weight_;  // (32) weights of this step's large forces, and (32) of the next
  int* pairs_listed_;        // (32) number of listed pairs, and (32) of charge pairs
  std::uint64_t* shift_;     // (3, 32) offset from global to exact positions
  TypeData* types_;          // (types_at_most) of sticky chains
};

}  // namespace nfold::kernels
