// Force gathering and one step of BAOAB Langevin dynamics or velocity Verlet.
// SPDX-License-Identifier: BSD-3-Clause
//
// langevin_step.hpp has the arithmetic of one residue.
#pragma once

#include "kernels/arithmetic/exact_sum.hpp"
#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/gathered_force.hpp"
#include "kernels/loops/keep_largest.hpp"
#include "kernels/loops/langevin_step.hpp"
#include "kernels/loops/pair_rows.hpp"
#include "kernels/loops/row_kicks.hpp"

namespace nfold::kernels {

/// Step number: an offset from a base in device memory, so that a captured graph of several steps
/// can be replayed later.
struct StepNumber {
  const std::uint64_t* base;  // null: 0
  std::uint64_t offset;
  NFOLD_FUNCTION std::uint64_t value() const { return base == nullptr ? offset : *base + offset; }
};

/// One launch between two force computations: ends the step of the latest forces (finish), begins
/// the next one (begin), or both. Work item: `lanes` owned rows; on a GPU one row, in two parts.
template <class Precision, bool langevin, bool finish, bool begin>
struct IntegrateLoop {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;

  GatheredForce<Precision> gather;
  StepConstants constants;
  StepNumber step;                 // step that begins; addresses its noise
  Columns<std::int64_t> position;  // (rows) [2^-44 turns]
  Columns<double> velocity;        // (rows) [nm/ps]
  Columns<Coordinate> coordinate;  // (rows) output; may be null on a GPU
  PairRecords<Precision> records;  // their coordinates are output
  Scale<Real> scale;
  Columns<const Coordinate> listed;  // (rows) coordinates at the last rebuild
  RowKicks kicks;
  int owned;                    // rows beyond it are padding or ghosts
  const int* residue;           // (rows) global ids
  Real move_limit_squared;      // (skin/2)^2 [nm^2]
  std::uint32_t* largest_move;  // GPU: bits of the largest [nm^2] (float); or null
  Marks marks;

#ifdef KOKKOS_ENABLE_CUDA
  Columns<std::int64_t> saved_position;  // output: state at the beginning of the step; or null
  Columns<double> saved_velocity;

  /// Row data independent of its force, read while forces are still being computed.
  struct Prepared {
    typename PairRecords<Precision>::RecordSlots places;
    double v[3];
    int mass_class;
    std::int64_t p[3];
    Real normal[3];
    Coordinate listed[3];
  };
  [[nodiscard]] NFOLD_FUNCTION Prepared prepare(int row) const {
    Prepared r{};
    if constexpr (!begin) r.places.charged_slot = gather.pairs.charged_slot[row];
    r.v[0] = velocity.x[row];
    r.v[1] = velocity.y[row];
    r.v[2] = velocity.z[row];
    r.mass_class = kicks.mass_class[row];
    if constexpr (begin) {
      r.places = records.places(row);
      r.p[0] = position.x[row];
      r.p[1] = position.y[row];
      r.p[2] = position.z[row];
      r.listed[0] = listed.x[row];
      r.listed[1] = listed.y[row];
      r.listed[2] = listed.z[row];
      if constexpr (langevin) {
        draw_noise(constants.seed, constants.replica, residue[row], step.value(), r.normal[0],
                   r.normal[1], r.normal[2]);
      }
    }
    return r;
  }
  /// Completes a row. All reads come before all writes, so that no read waits for a store.
  NFOLD_FUNCTION void complete(int row, const Prepared& r) const {
    std::int64_t f[3];
    gather(row, r.places.charged_slot, f[0], f[1], f[2]);
    const Kick kick = kicks.of_class[r.mass_class];
    int bad = 0;
    double u[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double force = to_double(f[axis]);
      bad |= exceeds_force_limit<Precision>(force);
      u[axis] = kicked < finish && begin > (r.v[axis], force, kick.half);
    }
    if constexpr (begin) {
      Coordinate c[3];
      std::int64_t q[3];
      for (int axis = 0; axis < 3; ++axis) {
        q[axis] = r.p[axis];
        bad |= drift<langevin>(u[axis], q[axis], constants.half_drift[axis],
                               constants.half_drift_limit[axis], constants.velocity_decay,
                               kick.noise, r.normal[axis]);
        c[axis] = Precision::coordinate(q[axis]);
      }
      records.put(r.places, c[0], c[1], c[2]);
      if (saved_position.x != nullptr) {
        saved_position.x[row] = r.p[0];
        saved_position.y[row] = r.p[1];
        saved_position.z[row] = r.p[2];
        saved_velocity.x[row] = r.v[0];
        saved_velocity.y[row] = r.v[1];
        saved_velocity.z[row] = r.v[2];
      }
      position.x[row] = q[0];
      position.y[row] = q[1];
      position.z[row] = q[2];
      if (coordinate.x != nullptr) {
        coordinate.x[row] = c[0];
        coordinate.y[row] = c[1];
        coordinate.z[row] = c[2];
      }
      const Real dx = Precision::to_nm(Precision::difference(c[0], r.listed[0]), scale.x);
      const Real dy = Precision::to_nm(Precision::difference(c[1], r.listed[1]), scale.y);
      const Real dz = Precision::to_nm(Precision::difference(c[2], r.listed[2]), scale.z);
      const Real squared = squared_length(dx, dy, dz);
      if (!(squared <= move_limit_squared)) *marks.moved = 1;
      if (largest_move != nullptr) keep_largest(static_cast<float>(squared), largest_move);
    }
    velocity.x[row] = u[0];
    velocity.y[row] = u[1];
    velocity.z[row] = u[2];
    if (bad != 0) *marks.exploded = 1;
  }
#else
  NFOLD_FUNCTION void operator()(int item) const {
    const int row = item * lanes;
    const StepConstants constant = constants;
    const std::uint64_t this_step = step.value();
    std::int64_t fx[lanes], fy[lanes], fz[lanes];
    gather(row, fx, fy, fz);
    double* const vx = velocity.x + row;
    double* const vy = velocity.y + row;
    double* const vz = velocity.z + row;
    const double* const kick = kicks.half + row;
    int bad = 0;
    NFOLD_LANES
    for (int lane = 0; lane < lanes; ++lane) {
      const double ax = to_double(fx[lane]);
      const double ay = to_double(fy[lane]);
      const double az = to_double(fz[lane]);
      bad |= exceeds_force_limit<Precision>(ax) | exceeds_force_limit<Precision>(ay) |
             exceeds_force_limit<Precision>(az);
      vx[lane] = kicked < finish && begin > (vx[lane], ax, kick[lane]);
      vy[lane] = kicked < finish && begin > (vy[lane], ay, kick[lane]);
      vz[lane] = kicked < finish && begin > (vz[lane], az, kick[lane]);
    }
    if (bad != 0) *marks.exploded = 1;
    if constexpr (begin) drift_rows(row, constant, this_step);
  }
#endif

#ifndef KOKKOS_ENABLE_CUDA
 private:
  NFOLD_FUNCTION void drift_rows(int row, const StepConstants& constant,
                                 std::uint64_t this_step) const {
    Real zx[lanes], zy[lanes], zz[lanes];
    if constexpr (langevin) {
      const int* const id = residue + row;
      NFOLD_LANES
      for (int lane = 0; lane < lanes; ++lane) {
        Real a, b, c;
        draw_noise(constants.seed, constants.replica, id[lane], this_step, a, b, c);
        zx[lane] = a;
        zy[lane] = b;
        zz[lane] = c;
      }
    }
    Coordinate px[lanes], py[lanes], pz[lanes];
    const int too_fast = drift_axis<0>(row, constant, zx, position.x, velocity.x, px) |
                         drift_axis<1>(row, constant, zy, position.y, velocity.y, py) |
                         drift_axis<2>(row, constant, zz, position.z, velocity.z, pz);
    if (too_fast != 0) *marks.exploded = 1;
    Coordinate *const cx = coordinate.x + row, *const cy = coordinate.y + row,
                      *const cz = coordinate.z + row;
    NFOLD_LANES
    for (int lane = 0; lane < lanes; ++lane) {
      cx[lane] = px[lane];
      cy[lane] = py[lane];
      cz[lane] = pz[lane];
    }

    const Coordinate *const lx = listed.x + row, *const ly = listed.y + row,
                            *const lz = listed.z + row;
    // Padding rows may be ghosts, whose records this loop must not write.
    const auto own_records = records;
    for (int lane = 0; lane < lanes && row + lane < owned; ++lane) {
      own_records.put(row + lane, px[lane], py[lane], pz[lane]);
    }
    const Scale<Real> nm = scale;
    const Real limit = move_limit_squared;
    const int end = owned;
    int moved = 0;
    NFOLD_LANES
    for (int lane = 0; lane < lanes; ++lane) {
      const Real dx = Precision::to_nm(Precision::difference(px[lane], lx[lane]), nm.x);
      const Real dy = Precision::to_nm(Precision::difference(py[lane], ly[lane]), nm.y);
      const Real dz = Precision::to_nm(Precision::difference(pz[lane], lz[lane]), nm.z);
      const Real squared = squared_length(dx, dy, dz);
      moved |= static_cast<int>(!(squared <= limit)) & static_cast<int>(row + lane < end);
    }
    if (moved != 0) *marks.moved = 1;
  }

  template <int which>
  NFOLD_FUNCTION int drift_axis(int row, const StepConstants& constant, const Real* normal,
                                std::int64_t* positions, double* velocities, Coordinate* c) const {
    const double half = constant.half_drift[which];
    const double limit = constant.half_drift_limit[which];
    const double decay = constant.velocity_decay;
    std::int64_t* const p = positions + row;
    double* const v = velocities + row;
    const double* const width = kicks.noise + row;
    int too_fast = 0;
    NFOLD_LANES
    for (int lane = 0; lane < lanes; ++lane) {
      double u = v[lane];
      std::int64_t q = p[lane];
      too_fast |= drift<langevin>(u, q, half, limit, decay, langevin ? width[lane] : 0.0,
                                  langevin ? normal[lane] : Real(0));
      p[lane] = q;
      v[lane] = u;
      c[lane] = Precision::coordinate(q);
    }
    return too_fast;
  }
#endif
};

/// Stores the total forces of `lanes` rows for tests and reports.
template <class Precision>
struct StoreForceLoop {
  GatheredForce<Precision> gather;
  Columns<std::int64_t> total;  // (rows) [quanta]
  NFOLD_FUNCTION void operator()(int item) const {
    const int row = item * lanes;
    gather(row, total.x + row, total.y + row, total.z + row);
  }
};

/// Kinetic energy of one row in energy counts: first with the on-step velocity, second with the
/// half-step velocity. The latter is half a kick earlier, after BAOAB's O, and has exact
/// equipartition for a harmonic mode.
template <class Precision>
struct KineticEnergyLoop {
  using Sums = ExactSums<2>;
  Columns<const double> velocity;
  Columns<const std::int64_t> total_force;  // (rows) [quanta]
  RowKicks kicks;
  const double* mass;  // (rows) [amu]

  NFOLD_FUNCTION void operator()(int row, Sums& sums) const {
    const double vx = velocity.x[row], vy = velocity.y[row], vz = velocity.z[row];
    sums.add_energy(0, 0.5 * mass[row] * (vx * vx + vy * vy + vz * vz));
    const double half = kicks[row].half;
    const double hx = vx - to_double(total_force.x[row]) * half;
    const double hy = vy - to_double(total_force.y[row]) * half;
    const double hz = vz - to_double(total_force.z[row]) * half;
    sums.add_energy(1, 0.5 * mass[row] * (hx * hx + hy * hy + hz * hz));
  }
};

/// Sums of m v_a v_b of one row in energy counts: xx, yy, zz, xy, xz, yz.
template <class Precision>
struct KineticTensorLoop {
  using Sums = ExactSums<6>;
  Columns<const double> velocity;
  Columns<const std::int64_t> total_force;  // (rows) [quanta]
  RowKicks kicks;
  const double* mass;  // (rows) [amu]
  bool is_half_step;   // use the half-step velocity (see KineticEnergyLoop)

  NFOLD_FUNCTION void operator()(int row, Sums& sums) const {
    const double half = is_half_step ? kicks[row].half : 0.0;
    const double vx = velocity.x[row] - to_double(total_force.x[row]) * half;
    const double vy = velocity.y[row] - to_double(total_force.y[row]) * half;
    const double vz = velocity.z[row] - to_double(total_force.z[row]) * half;
    sums.add_energy(0, mass[row] * vx * vx);
    sums.add_energy(1, mass[row] * vy * vy);
    sums.add_energy(2, mass[row] * vz * vz);
    sums.add_energy(3, mass[row] * vx * vy);
    sums.add_energy(4, mass[row] * vx * vz);
    sums.add_energy(5, mass[row] * vy * vz);
  }
};

}  // namespace nfold::kernels
