// Gathering of forces and the step of BAOAB Langevin dynamics and of velocity Verlet.
// SPDX-License-Identifier: BSD-3-Clause
//
// Leimkuhler, Matthews, Appl. Math. Res. Express 2013, 34. A step is B A O A, forces, B; the last B
// of a step and the first of the next are two additions, whether one launch does both or not.
#pragma once

#include "kernels/fixed_point.hpp"
#include "kernels/gathered_force.hpp"
#include "kernels/keep_largest.hpp"
#include "kernels/pair_rows.hpp"
#include "kernels/philox.hpp"
#include "kernels/portable.hpp"
#include "kernels/views.hpp"

namespace nfold::kernels {

/// Half a step may carry a residue this far along an axis [nm]. Beyond it the run explodes,
/// whatever the layout and the lists.
inline constexpr double half_drift_limit_nm = 0.5;

/// Number of a step: an offset from a number that may stand in the device's memory, so that one
/// recording of several steps serves again later.
struct StepNumber {
  const std::uint64_t* base;  // null: 0
  std::uint64_t offset;
  NFOLD_FUNCTION std::uint64_t value() const { return base == nullptr ? offset : *base + offset; }
};

/// Constants of a step, the same for all residues.
struct StepConstants {
  double half_drift[3];        // velocity [nm/ps] to half a step's counts, by axis
  double half_drift_limit[3];  // half_drift_limit_nm in counts
  double velocity_decay;       // c1 = exp(-friction h)
  std::uint64_t seed;
  std::uint32_t replica;
};

/// One launch between two force computations: ends the step whose forces were just computed
/// (finish), begins the next (begin), or both. Work item: `lanes` owned rows.
template <class Precision, bool langevin, bool finish, bool begin>
struct IntegrateLoop {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;

  GatheredForce<Precision> gather;
  StepConstants constants;
  StepNumber step;                 // the step that begins: addresses its noise
  Columns<std::int64_t> position;  // (rows) [2^-44 turns]
  Columns<double> velocity;        // (rows) [nm/ps]
  Columns<Coordinate> coordinate;  // (rows), written; may be null on a GPU
  PairRecords<Precision> records;  // coordinates written
  Scale<Real> scale;
  Columns<const Coordinate> listed;  // (rows) coordinates when the lists were made
  const double* half_kick;           // (rows) h/(2 m) times the force quantum
  const double* noise;               // (rows) sqrt(1 - c1^2) sqrt(kT/m) [nm/ps]
  int owned;                         // rows beyond it only pad, and ghosts stand there
  const int* residue;                // (rows) global ids
  Real largest_move_squared;         // (skin/2)^2 [nm^2]
  std::uint32_t* largest_found;      // null, or where a GPU keeps the bits of the largest [nm^2]
  Marks marks;

  NFOLD_FUNCTION void operator()(int item) const {
    const int row = item * lanes;
    const StepConstants constant = constants;
    const std::uint64_t this_step = step.value();
    std::int64_t fx[lanes], fy[lanes], fz[lanes];
    gather(row, fx, fy, fz);
    double* const vx = velocity.x + row;
    double* const vy = velocity.y + row;
    double* const vz = velocity.z + row;
    const double* const kick = half_kick + row;
    constexpr double limit = total_force_limit / Precision::force_quantum;
    int bad = 0;
    NFOLD_LANES
    for (int lane = 0; lane < lanes; ++lane) {
      const double ax = to_double(fx[lane]);
      const double ay = to_double(fy[lane]);
      const double az = to_double(fz[lane]);
      bad |= static_cast<int>(!(ax < limit)) | static_cast<int>(!(ax > -limit)) |
             static_cast<int>(!(ay < limit)) | static_cast<int>(!(ay > -limit)) |
             static_cast<int>(!(az < limit)) | static_cast<int>(!(az > -limit));
      const double kx = ax * kick[lane];
      const double ky = ay * kick[lane];
      const double kz = az * kick[lane];
      double ux = vx[lane] + kx;
      double uy = vy[lane] + ky;
      double uz = vz[lane] + kz;
      if constexpr (finish && begin) {
        ux = ux + kx;
        uy = uy + ky;
        uz = uz + kz;
      }
      vx[lane] = ux;
      vy[lane] = uy;
      vz[lane] = uz;
    }
    if (bad != 0) *marks.exploded = 1;
    if constexpr (begin) drift(row, constant, this_step);
  }

 private:
  NFOLD_FUNCTION void drift(int row, const StepConstants& constant, std::uint64_t this_step) const {
    Real zx[lanes], zy[lanes], zz[lanes];
    if constexpr (langevin) {
      const int* const id = residue + row;
      NFOLD_LANES
      for (int lane = 0; lane < lanes; ++lane) {
        const PhiloxWords words =
            random_words(constant.seed, RandomStream::langevin_noise, constant.replica,
                         static_cast<std::uint32_t>(id[lane]), this_step, 0);
        Real a, b, c;
        three_normals(words, a, b, c);
        zx[lane] = a;
        zy[lane] = b;
        zz[lane] = c;
      }
    }
    Coordinate px[lanes], py[lanes], pz[lanes];
    const int too_fast = axis<0>(row, constant, zx, position.x, velocity.x, px) |
                         axis<1>(row, constant, zy, position.y, velocity.y, py) |
                         axis<2>(row, constant, zz, position.z, velocity.z, pz);
    if (too_fast != 0) *marks.exploded = 1;
    if (lanes > 1 || coordinate.x != nullptr) {
      Coordinate *const cx = coordinate.x + row, *const cy = coordinate.y + row,
                        *const cz = coordinate.z + row;
      NFOLD_LANES
      for (int lane = 0; lane < lanes; ++lane) {
        cx[lane] = px[lane];
        cy[lane] = py[lane];
        cz[lane] = pz[lane];
      }
    }

    const Coordinate *const lx = listed.x + row, *const ly = listed.y + row,
                            *const lz = listed.z + row;
    // Rows that pad the owned ones may be ghosts', whose records are not this loop's to write.
    if constexpr (lanes == 1) {
      if (row < owned) records.put(row, px[0], py[0], pz[0]);
    } else {
      const auto own_records = records;
      for (int lane = 0; lane < lanes && row + lane < owned; ++lane) {
        own_records.put(row + lane, px[lane], py[lane], pz[lane]);
      }
    }
    const Scale<Real> nm = scale;
    const Real largest = largest_move_squared;
    const int end = owned;
    int moved = 0;
    Real farthest = 0;
    NFOLD_LANES
    for (int lane = 0; lane < lanes; ++lane) {
      const Real dx = Precision::to_nm(Precision::difference(px[lane], lx[lane]), nm.x);
      const Real dy = Precision::to_nm(Precision::difference(py[lane], ly[lane]), nm.y);
      const Real dz = Precision::to_nm(Precision::difference(pz[lane], lz[lane]), nm.z);
      const Real squared = squared_length(dx, dy, dz);
      moved |= static_cast<int>(!(squared <= largest)) & static_cast<int>(row + lane < end);
      if constexpr (lanes == 1) farthest = squared;
    }
    if (moved != 0) *marks.moved = 1;
    if (lanes == 1 && largest_found != nullptr) {
      keep_largest(static_cast<float>(farthest), largest_found);
    }
  }

  /// A O A along one axis (velocity Verlet: both halves of its drift). Returns 1 if a residue would
  /// move more than half_drift_limit.
  template <int which>
  NFOLD_FUNCTION int axis(int row, const StepConstants& constant, const Real* normal,
                          std::int64_t* positions, double* velocities, Coordinate* c) const {
    const double half = constant.half_drift[which];
    const double limit = constant.half_drift_limit[which];
    const double decay = constant.velocity_decay;
    std::int64_t* const p = positions + row;
    double* const v = velocities + row;
    const double* const width = noise + row;
    int too_fast = 0;
    NFOLD_LANES
    for (int lane = 0; lane < lanes; ++lane) {
      double u = v[lane];
      const double first = u * half;
      if constexpr (langevin) u = decay * u + width[lane] * static_cast<double>(normal[lane]);
      const double second = u * half;
      too_fast |= static_cast<int>(!(first < limit)) | static_cast<int>(!(first > -limit)) |
                  static_cast<int>(!(second < limit)) | static_cast<int>(!(second > -limit));
      const std::int64_t q = p[lane] + round_to_int64(first) + round_to_int64(second);
      p[lane] = q;
      v[lane] = u;
      c[lane] = Precision::coordinate(q);
    }
    return too_fast;
  }
};

/// Total forces of `lanes` rows, for whoever wants to see them (tests, reports).
template <class Precision>
struct StoreForceLoop {
  GatheredForce<Precision> gather;
  Columns<std::int64_t> total;  // (rows) [quanta]
  NFOLD_FUNCTION void operator()(int item) const {
    const int row = item * lanes;
    gather(row, total.x + row, total.y + row, total.z + row);
  }
};

/// Kinetic energy of one row in counts: on-step velocity, and (sum_half) the velocity half a kick
/// earlier, which BAOAB's O left with exact equipartition of a harmonic mode.
template <class Precision>
struct KineticEnergyLoop {
  Columns<const double> velocity;
  Columns<const std::int64_t> total_force;  // (rows) [quanta]
  const double* half_kick;
  const double* mass;  // (rows) [amu]

  NFOLD_FUNCTION void operator()(int row, std::int64_t& sum, std::int64_t& sum_half) const {
    const double vx = velocity.x[row], vy = velocity.y[row], vz = velocity.z[row];
    sum += to_energy_counts(0.5 * mass[row] * (vx * vx + vy * vy + vz * vz));
    const double hx = vx - to_double(total_force.x[row]) * half_kick[row];
    const double hy = vy - to_double(total_force.y[row]) * half_kick[row];
    const double hz = vz - to_double(total_force.z[row]) * half_kick[row];
    sum_half += to_energy_counts(0.5 * mass[row] * (hx * hx + hy * hy + hz * hz));
  }
};

/// Sums m v_a v_b of one row in counts: xx, yy, zz, xy, xz, yz.
struct KineticTensorLoop {
  Columns<const double> velocity;
  const double* mass;  // (rows) [amu]

  NFOLD_FUNCTION void operator()(int row, std::int64_t& xx, std::int64_t& yy, std::int64_t& zz,
                                 std::int64_t& xy, std::int64_t& xz, std::int64_t& yz) const {
    const double vx = velocity.x[row], vy = velocity.y[row], vz = velocity.z[row];
    xx += to_energy_counts(mass[row] * vx * vx);
    yy += to_energy_counts(mass[row] * vy * vy);
    zz += to_energy_counts(mass[row] * vz * vz);
    xy += to_energy_counts(mass[row] * vx * vy);
    xz += to_energy_counts(mass[row] * vx * vz);
    yz += to_energy_counts(mass[row] * vy * vz);
  }
};

}  // namespace nfold::kernels
