// Resident steps on a GPU: a thread block advances a group of replicas by many steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/cuda/resident_forces.hpp"

namespace nfold::kernels {

/// Advances the replicas of one thread block by run.steps steps. rows: run.rows, or more in a
/// uniform layout.
template <ThreadLayout layout, ResidentPositionFormat kind, int rows, int fixed_log_width,
          class Contact>
class ResidentSteps : ResidentForces<kind, fixed_log_width, Contact> {
 public:
  using Forces = ResidentForces<kind, fixed_log_width, Contact>;
  __device__ ResidentSteps(const ResidentRun<Contact>& run, char* shared)
      : Forces(run, shared), replica_number_(run.replicas.number[replica_]) {
    mover_ = slot_in(run.moves);
    if constexpr (is_uniform) {
      first_ = mover_ * run.rows;
      last_ = mover_ < 0 ? first_ : min(first_ + run.rows, system_.residues);
    }
    const int pair = slot_in(run.pairs);
    if (pair >= 0) this->assign_pairs(pair);
    if constexpr (!is_uniform) {
      angle_slot_ = slot_in(run.angles);
      dihedral_slot_ = slot_in(run.dihedrals);
#pragma unroll
      for (int k = 0; k < rows; ++k) {
        if (angle_slot_ >= 0) terms_[k] = this->bond_angle_of(angle_slot_ + k * run.angles.slots);
        if (dihedral_slot_ >= 0) {
          terms_[k] = this->dihedral_of(dihedral_slot_ + k * run.dihedrals.slots);
        }
        const int row = mover_ + k * run.moves.slots;
        if (mover_ >= 0 && row < system_.residues) kick_[k] = make_kick(row);
      }
    }
  }

  __device__ void advance() {
    load();
    bool rebuild = true;
    for (std::int64_t step = 0;; ++step) {
      if (rebuild) {
        save_listed_positions();
        __syncthreads();
        this->make_lists();
      }
      add_forces();
      if (step == run_.steps) break;
      const auto step_number = run_.first_step + static_cast<std::uint64_t>(step);
      if constexpr (is_uniform) {
        // Noise is drawn while other threads finish.
        barrier_.arrive();
        draw(step_number);
        barrier_.wait(static_cast<unsigned>(step & 1));
      } else {
        draw(step_number);
        __syncwarp();
        __syncthreads();
      }
      swap_large_force_sums(step);
      const bool moved = step == 0 ? begin_step<false>() : begin_step<true>();
      rebuild = __syncthreads_or(moved) != 0;
    }
    __syncthreads();
    swap_large_force_sums(run_.steps);
    finish();
  }

 private:
  static constexpr bool is_uniform = layout == ThreadLayout::uniform;
  /// Residues that a thread moves at once, which hides latency: two of four in a uniform layout,
  /// limited by registers.
  static constexpr int rows_at_once = is_uniform ? (rows == 4 ? 2 : rows) : 1;

  using Forces::bad_, Forces::barrier_, Forces::force_, Forces::large_force_weight_, Forces::lane_;
  using Forces::displacement, Forces::at, Forces::log_width, Forces::slot_in;
  using Forces::is_sticky, Forces::listed_, Forces::pair_slot_, Forces::pairs_listed_,
      Forces::rounded_position_, Forces::exact_position_;
  using Forces::replica_, Forces::run_, Forces::shift_, Forces::system_, Forces::types_,
      Forces::velocity_;

  __device__ void add_forces() {
    if constexpr (is_uniform) {
      if constexpr (is_sticky) {
        this->add_chain_bonds(first_, last_);
      } else {
        this->add_chain_terms(first_, last_);
      }
      if (pair_slot_ >= 0) {
        if constexpr (is_sticky) {
          this->add_listed_charges();
        } else {
          this->add_contacts();
        }
        if constexpr (is_sticky) {
          this->add_listed_runs();
        } else {
          this->template add_listed<(rows > 1)>();
        }
        this->add_umbrella();
      }
    } else if (angle_slot_ >= 0) {
#pragma unroll
      for (int k = 0; k < rows; ++k) {
        const int row = angle_slot_ + k * run_.angles.slots;
        // The first may be a padding row, so that all threads of a warp do the same.
        if (k == 0 || row < system_.residues) this->add_bond_and_angle(row, terms_[k]);
      }
    } else if (dihedral_slot_ >= 0) {
#pragma unroll
      for (int k = 0; k < rows; ++k) {
        const int row = dihedral_slot_ + k * run_.dihedrals.slots;
        if (k == 0 || row < system_.residues) this->add_dihedral(row, terms_[k]);
      }
    } else if (pair_slot_ >= 0) {
      this->add_few_contacts();
      this->template add_listed<false>();
      this->add_umbrella();
    }
  }
  /// Checks the weights of a step's large forces, and prepares those of the next step.
  __device__ void swap_large_force_sums(std::int64_t step) {
    if (large_force_weight_[lane_] > WidePairForce::weight_limit) {
      bad_ |= ResidentUnsure::out_of_range;
    }
    // Clears the half that the next step adds to. All threads read it two barriers ago.
    large_force_weight_ += (step & 1) != 0 ? -32 : 32;
    if (threadIdx.x < 32) large_force_weight_[threadIdx.x] = 0;
  }
  /// Calls each(k, row) for the residues that this thread moves, `rows_at_once` of them per call; k
  /// is known at compile time. The last thread of a uniform layout may get a row twice in one call,
  /// which changes nothing.
  template <class Each>
  __device__ void for_own_rows(const Each& each) const {
#pragma unroll
    for (int k = 0; k < rows; k += rows_at_once) {
      int row[rows_at_once];
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i) {
        row[i] = is_uniform ? min(first_ + k + i, last_ - 1) : mover_ + k * run_.moves.slots;
      }
      const bool is_there =
          is_uniform ? first_ + k < last_ : mover_ >= 0 && row[0] < system_.residues;
      if (is_there) each(k, row);
    }
  }
  /// Calls each(row) one by one, for use outside the step loop: smaller code.
  template <class Each>
  __device__ void for_own_rows_one_by_one(const Each& each) const {
    const int on = is_uniform ? 1 : run_.moves.slots;
    const int end = is_uniform ? last_ : system_.residues;
#pragma unroll 1
    for (int row = is_uniform ? first_ : mover_; row >= 0 && row < end; row += on) each(row);
  }
  [[nodiscard]] __device__ std::int64_t global_index(int row, int axis) const {
    const std::int64_t group = blockIdx.x;
    return (((group * system_.residues + row) * 3 + axis) << log_width()) + lane_;
  }

  /// Rounds an element of exact_position_, whose bits 12 to 43 are the coordinate relative to the
  /// middle of the replica, for the force loops. Floats and their differences are exact within 16
  /// nm of the middle.
  [[nodiscard]] __device__ float to_rounded_position(std::int64_t exact) const {
    const auto count = static_cast<std::int32_t>(
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(exact) >> 12U));
    if constexpr (kind == ResidentPositionFormat::floats) {
      return static_cast<float>(count) * system_.scale.x;
    } else {
      return float_from_bits(count);
    }
  }
  [[nodiscard]] __device__ std::int32_t coordinate_of(int row, int axis) const {
    return Mixed::coordinate(run_.replicas.position[global_index(row, axis)]);
  }
  /// Finds the middle of each replica. Called between barriers.
  __device__ void find_middle() {
    constexpr int columns = 32;
    // (2, 3, 32) maximum of coordinates and of their complements, relative to one residue.
    int* const extent = reinterpret_cast<int*>(listed_);
    for (auto i = threadIdx.x; i < 6 * columns; i += blockDim.x) extent[i] = ~0x7fffffff;
    __syncthreads();
    const int reference_row = system_.residues / 2;
    for_own_rows_one_by_one([&](int row) {
      for (int axis = 0; axis < 3; ++axis) {
        const auto from =
            Mixed::difference(coordinate_of(row, axis), coordinate_of(reference_row, axis));
        atomicMax(extent + axis * columns + lane_, from);
        atomicMax(extent + (3 + axis) * columns + lane_, ~from);
      }
    });
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < 1 << log_width()) {
      for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t highest = extent[axis * columns + lane_];
        const std::int64_t lowest = ~extent[(3 + axis) * columns + lane_];
        const auto middle = static_cast<std::uint32_t>(coordinate_of(reference_row, axis)) +
                            static_cast<std::uint32_t>((lowest + highest) / 2);
        constexpr std::uint64_t half_coordinate_count = 1U << 11U;
        shift_[axis * columns + lane_] =
            half_coordinate_count - (static_cast<std::uint64_t>(middle) << 12U);
      }
    }
    __syncthreads();
  }
  [[nodiscard]] __device__ std::uint64_t shift_of(int axis) const {
    return shift_[axis * 32 + lane_];
  }

  __device__ void load() {
    for (auto i = threadIdx.x; i < resident_padded_capacity; i += blockDim.x) {
      // Padding rows are far from all others and never three in a line.
      const auto row = static_cast<int>(i >> log_width());
      if constexpr (kind == ResidentPositionFormat::floats) {
        const float far = 1e4F + 100.0F * static_cast<float>(row);
        rounded_position_[i] = make_float4(far, (row & 1) != 0 ? 1e4F : 0.9e4F, 1e4F, 0.0F);
      } else {
        constexpr int far = 1 << 29;
        rounded_position_[i] = make_float4(float_from_bits(far + (row << 16)),
                                           float_from_bits((row & 1) != 0 ? far : far - (far >> 3)),
                                           float_from_bits(far), 0.0F);
      }
    }
    for (auto i = threadIdx.x; i < resident_padded_capacity * 3; i += blockDim.x) force_[i] = 0;
    if (threadIdx.x < 64) large_force_weight_[threadIdx.x] = 0;
    if (threadIdx.x == 0) barrier_.init();
    find_middle();
    for_own_rows_one_by_one([&](int row) {
      float x[3];
      for (int axis = 0; axis < 3; ++axis) {
        const auto q = static_cast<std::int64_t>(
            static_cast<std::uint64_t>(run_.replicas.position[global_index(row, axis)]) +
            shift_of(axis));
        const double v = run_.replicas.velocity[global_index(row, axis)];
        if (!(fabs(v) < 1e30)) bad_ |= ResidentUnsure::out_of_range;
        exact_position_[axis * resident_capacity + at(row)] = q;
        velocity_[axis * resident_capacity + at(row)] = v;
        force_[axis * resident_padded_capacity + at(row)] = system_.force_start[row];
        x[axis] = to_rounded_position(q);
      }
      rounded_position_[at(row)] = make_float4(x[0], x[1], x[2], kind_of(row));
    });
    if constexpr (is_sticky) load_types();
    __syncthreads();
  }
  /// Copies the data of each type from its residues.
  __device__ void load_types() {
    for (auto type = threadIdx.x; type < types_at_most; type += blockDim.x) {
      for (int row = 0; row < system_.residues; ++row) {
        const ResidentResidue& residue = system_.residue[row];
        if (residue.kind % types_at_most != static_cast<int>(type)) continue;
        types_[type] = {residue.half_sigma, residue.half_lambda};
      }
    }
  }
  /// Returns the last component of a rounded position.
  [[nodiscard]] __device__ float kind_of(int row) const {
    if constexpr (is_sticky) return float_from_bits(system_.residue[row].kind);
    return 0;
  }

  __device__ void finish() {
    for_own_rows_one_by_one([&](int row) {
      const double half = make_kick(row).half;
      for (int axis = 0; axis < 3; ++axis) {
        const int f = force_[axis * resident_padded_capacity + at(row)];
        const double force = f;
        bad_ |= exceeds_force_limit<Mixed>(force);
        const auto to = global_index(row, axis);
        if (run_.steps > 0) {
          run_.replicas.velocity[to] =
              kicked<false>(velocity_[axis * resident_capacity + at(row)], force, half);
        }
        run_.replicas.force[to] = f;
      }
    });
    for_own_rows_one_by_one([&](int row) {
      for (int axis = 0; axis < 3; ++axis) {
        const auto exact =
            static_cast<std::uint64_t>(exact_position_[axis * resident_capacity + at(row)]);
        // The two half drifts of each step have added the bits of rounding_magic.
        run_.replicas.position[global_index(row, axis)] = static_cast<std::int64_t>(
            exact - shift_of(axis) -
            static_cast<std::uint64_t>(run_.steps) * 2 * rounding_magic_bits);
      }
    });
    double limit = system_.constants.half_drift_limit[0];
    for (int axis = 1; axis < 3; ++axis) {
      limit = fmin(limit, system_.constants.half_drift_limit[axis]);
    }
    if (!(largest_half_drift_ < float_from_bits(upper_word(limit))) ||
        !(largest_force_ < float_from_bits(upper_word(total_force_limit / Mixed::force_quantum)))) {
      bad_ |= ResidentUnsure::out_of_range;
    }
    if (bad_ != 0) atomicOr(run_.replicas.unsure + replica_, bad_);
  }

  __device__ void draw(std::uint64_t step) {
    for_own_rows([&](int k, const int* row) {
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i) {
        float* const normal = normal_[k + i];
        draw_noise(system_.keys, replica_number_, row[i], step, normal[0], normal[1], normal[2]);
      }
    });
  }

  /// Tabulated data for moving a residue.
  struct Kick {
    double half, noise;
    int start;  // initial value of its force sum
  };
  [[nodiscard]] __device__ Kick make_kick(int row) const {
    const int mass_class = system_.classes > 1 ? system_.mass_class[row] : 0;
    return {
        system_.half_kick[mass_class],
        run_.replicas
            .noise[((static_cast<std::int64_t>(mass_class) * run_.replicas.groups) << log_width()) +
                   replica_],
        system_.force_start[row]};
  }
  /// Ends the step before, if there was one, and moves the residues through the next. Returns true
  /// if the lists must be rebuilt.
  template <bool ends_one>
  __device__ bool begin_step() {
    bool moved = false;
    Kick of_all{};
    if (is_uniform && system_.classes == 1) of_all = make_kick(0);
    for_own_rows([&](int k, const int* row) {
      Kick kick[rows_at_once];
#pragma unroll
      for (int i = 0; i < rows_at_once; ++i) {
        if constexpr (is_uniform) {
          kick[i] = system_.classes > 1 ? make_kick(row[i]) : of_all;
          kick[i].start = system_.force_start[row[i]];
        } else {
          kick[i] = kick_[k];
        }
      }
      moved |= move<ends_one>(row, kick, normal_ + k);
    });
    return moved;
  }
  /// Moves residues. All reads come before all writes, since the compiler must assume that they
  /// alias.
  template <bool ends_one>
  __device__ bool move(const int* row, const Kick* kick, const float (*normal)[3]) {
    int force[rows_at_once][3];
    double u[rows_at_once][3];
    std::int64_t q[rows_at_once][3];
    float change[rows_at_once][3];
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) {
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        const int index = axis * resident_capacity + at(row[i]);
        force[i][axis] = force_[axis * resident_padded_capacity + at(row[i])];
        u[i][axis] = velocity_[index];
        q[i][axis] = exact_position_[index];
        change[i][axis] = listed_[index];
      }
    }
    bool moved = false;
    float x[rows_at_once][3];
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) {
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        const double f = exact_double(force[i][axis]);
        largest_force_ = fmaxf(largest_force_, fabsf(float_from_bits(upper_word(f))));
        u[i][axis] = kicked<ends_one>(u[i][axis], f, kick[i].half);
        q[i][axis] = drift_exact(u[i][axis], q[i][axis], axis, kick[i].noise, normal[i][axis]);
        x[i][axis] = to_rounded_position(q[i][axis]);
        change[i][axis] = displacement(change[i][axis], x[i][axis], system_.scale.x);
      }
      moved |= !(squared_length(change[i]) <= system_.move_limit_squared);
    }
#pragma unroll
    for (int i = 0; i < rows_at_once; ++i) {
      rounded_position_[at(row[i])] = make_float4(x[i][0], x[i][1], x[i][2], kind_of(row[i]));
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        const int index = axis * resident_capacity + at(row[i]);
        force_[axis * resident_padded_capacity + at(row[i])] = kick[i].start;
        velocity_[index] = u[i][axis];
        exact_position_[index] = q[i][axis];
      }
    }
    return moved;
  }
  /// Does kernels::drift on an element of exact_position_, but leaves the bits of rounding_magic,
  /// which finish() subtracts: all are above the bits of a coordinate. finish() checks the limits.
  [[nodiscard]] __device__ std::int64_t drift_exact(double& u, std::int64_t q, int axis,
                                                    double noise, float normal) {
    const double half_drift = system_.constants.half_drift[axis];
    const double first = u * half_drift;
    u = system_.constants.velocity_decay * u + noise * static_cast<double>(normal);
    const double second = u * half_drift;
    largest_half_drift_ = fmaxf(largest_half_drift_, fabsf(float_from_bits(upper_word(first))));
    largest_half_drift_ = fmaxf(largest_half_drift_, fabsf(float_from_bits(upper_word(second))));
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(q) +
                                     static_cast<std::uint64_t>(to_bits(first + rounding_magic)) +
                                     static_cast<std::uint64_t>(to_bits(second + rounding_magic)));
  }
  // Adding this constant to a double rounds it to an integer, in the lower bits.
  static constexpr double rounding_magic = 0x1.8p52;
  static constexpr std::uint64_t rounding_magic_bits = 0x4338000000000000U;
  /// Returns the upper half of a double; as a float it grows with the number.
  [[nodiscard]] static __device__ std::int32_t upper_word(double x) {
    return static_cast<std::int32_t>(
        static_cast<std::uint32_t>(static_cast<std::uint64_t>(to_bits(x)) >> 32U));
  }
  [[nodiscard]] static __device__ double exact_double(int n) {
    return __hiloint2double(0x43300000, n ^ static_cast<int>(0x80000000U)) - 0x1.000008p52;
  }

  /// Stores the positions at a rebuild; no residue moves more than half the skin until the next
  /// one.
  __device__ void save_listed_positions() {
    constexpr float reach = 15.5F;
    for_own_rows_one_by_one([&](int row) {
      const float4 mine = rounded_position_[at(row)];
      listed_[at(row)] = mine.x;
      listed_[resident_capacity + at(row)] = mine.y;
      listed_[2 * resident_capacity + at(row)] = mine.z;
      if (kind == ResidentPositionFormat::floats &&
          !(fabsf(mine.x) < reach && fabsf(mine.y) < reach && fabsf(mine.z) < reach)) {
        bad_ |= ResidentUnsure::too_far;
      }
    });
    if (threadIdx.x < 64) pairs_listed_[threadIdx.x] = 0;
  }

  std::uint32_t replica_number_;
  int mover_;                 // slot of this thread in the role `moves`; -1: none
  int first_ = 0, last_ = 0;  // residues of this thread in a uniform layout
  // Upper words of doubles: largest half-step drift [counts] and force [quanta] of all steps.
  float largest_half_drift_ = 0, largest_force_ = 0;
  float normal_[rows][3];
  // In a specialised layout only: terms and residues of this thread.
  int angle_slot_ = -1, dihedral_slot_ = -1;  // -1: none
  float4 terms_[is_uniform ? 1 : rows];
  Kick kick_[is_uniform ? 1 : rows];
};

template <ThreadLayout layout, ResidentPositionFormat kind, int rows, int fixed_log_width,
          class Contact>
__global__ void __launch_bounds__(resident_threads, 1)
    advance_resident(const __grid_constant__ ResidentRun<Contact> run) {
  extern __shared__ __align__(16) char resident_shared[];
  ResidentSteps<layout, kind, rows, fixed_log_width, Contact>(run, resident_shared).advance();
}

}  // namespace nfold::kernels
