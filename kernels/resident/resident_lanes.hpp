// Resident steps of a small system's replicas on a CPU; vector lanes are replicas.
// SPDX-License-Identifier: BSD-3-Clause
//
// A pair is listed if any lane's replica needs it, so lanes never diverge. Forces on both residues
// are added at once, since integers may be added in any order.
#pragma once

#include <cstddef>

#include "kernels/arithmetic/force_rounding.hpp"
#include "kernels/potentials/angle.hpp"
#include "kernels/potentials/bond.hpp"
#include "kernels/potentials/dihedral.hpp"
#include "kernels/resident/resident_system.hpp"
#include "kernels/resident/scratch_parts.hpp"

namespace nfold::kernels {

inline constexpr int resident_lanes = 16;

/// Scratch memory of one group: (residues, 3, lanes) each, and the pair lists.
struct ResidentScratch {
  std::int32_t *coordinate = nullptr, *listed = nullptr, *force = nullptr;
  int* pair_count = nullptr;  // (residues)
  int* pair = nullptr;        // (residues, ResidentSystem::partners_at_most)

  void take_from(ScratchParts& parts, std::int64_t residues, std::int64_t partners_at_most) {
    for (auto** const column : {&coordinate, &listed, &force}) {
      parts.take(residues * 3 * resident_lanes, *column);
    }
    parts.take(residues, pair_count);
    parts.take(residues * partners_at_most, pair);
  }
};

/// Advances groups of replicas one by one.
template <class Contact>
class ResidentGroup {
 public:
  /// Bytes of the scratch memory.
  [[nodiscard]] static std::int64_t scratch_bytes(const ResidentSystem<Contact>& system) {
    ScratchParts parts(nullptr);
    ResidentScratch().take_from(parts, system.residues, partners_at_most);
    return parts.bytes();
  }
  ResidentGroup(const ResidentSystem<Contact>& system, const ResidentReplicas& replicas,
                std::byte* scratch)
      : system_(system), replicas_(replicas) {
    ScratchParts parts(scratch);
    scratch_.take_from(parts, system.residues, partners_at_most);
  }

  void advance(std::ptrdiff_t group, std::uint64_t first_step, std::int64_t steps) {
    group_ = group;
    const std::int64_t first = group * system_.residues * 3 * width;
    position_ = replicas_.position + first;
    velocity_ = replicas_.velocity + first;
    force_ = replicas_.force + first;
    for (std::ptrdiff_t i = 0; i < system_.residues * row_size; ++i) {
      scratch_.coordinate[i] = Mixed::coordinate(position_[i]);
    }
    bool rebuild = true;
    for (std::int64_t step = 0; step < steps; ++step) {
      if (rebuild) make_lists();
      compute_forces();
      const auto number = first_step + static_cast<std::uint64_t>(step);
      if (step == 0) {
        rebuild = begin_step<false>(number);
      } else {
        rebuild = begin_step<true>(number);
      }
    }
    if (rebuild) make_lists();
    compute_forces();
    finish(steps > 0);
  }

 private:
  static constexpr int width = resident_lanes;
  static constexpr std::ptrdiff_t row_size = std::ptrdiff_t{3} * width;

  void make_lists() {
    const std::ptrdiff_t size = system_.residues * row_size;
    for (std::ptrdiff_t i = 0; i < size; ++i) scratch_.listed[i] = scratch_.coordinate[i];
    const float range = system_.list_range_squared, nm = system_.scale.x;
    for (int i = 0; i < system_.residues; ++i) {
      int count = 0;
      int* const list = scratch_.pair + static_cast<std::int64_t>(i) * partners_at_most;
      const std::int32_t* const mine = scratch_.coordinate + i * row_size;
      for (int word = 0; word < system_.mask_words; ++word) {
        for (std::uint32_t bits = system_.kept_pairs[i * system_.mask_words + word]; bits != 0;
             bits &= bits - 1) {
          const int j = word * 32 + __builtin_ctz(bits);
          const std::int32_t* const other = scratch_.coordinate + j * row_size;
          int near = 0;
          NFOLD_LANES
          for (int lane = 0; lane < width; ++lane) {
            near |= static_cast<int>(squared_distance(mine, other, lane, nm) < range);
          }
          if (near == 0) continue;
          if (count < partners_at_most) list[count] = j;
          ++count;
        }
      }
      if (count > partners_at_most) {
        for (int lane = 0; lane < width; ++lane) mark_unsure(lane);
        count = partners_at_most;
      }
      scratch_.pair_count[i] = count;
    }
  }
  static float squared_distance(const std::int32_t* a, const std::int32_t* b, int lane, float nm) {
    const float dx = Mixed::to_nm(Mixed::difference(a[lane], b[lane]), nm);
    const float dy = Mixed::to_nm(Mixed::difference(a[width + lane], b[width + lane]), nm);
    const float dz = Mixed::to_nm(Mixed::difference(a[2 * width + lane], b[2 * width + lane]), nm);
    return squared_length(dx, dy, dz);
  }
  void mark_unsure(int lane) { replicas_.unsure[group_ * width + lane] = 1; }

  void compute_forces() {
    const std::ptrdiff_t size = system_.residues * row_size;
    for (std::ptrdiff_t i = 0; i < size; ++i) scratch_.force[i] = 0;
    for (int lane = 0; lane < width; ++lane) large_force_weight_[lane] = 0;
    const float* const strength = replicas_.contact_strength + group_ * width;
    for (int i = 0; i < system_.residues; ++i) {
      chain_forces(i);
      const auto contact_force = [&](const auto& contact) {
        pair_force(
            i, contact.other, system_.small_contact, no_range,
            [&contact, strength](const float* d, float, int lane) {
              return -contact_force_over_distance(d, contact) * strength[lane];
            },
            [](float) { return true; });
      };
      for (int k = system_.contact_first[i]; k < system_.contact_first[i + 1]; ++k) {
        contact_force(system_.contact[k]);
      }
      const int* const list = scratch_.pair + static_cast<std::int64_t>(i) * partners_at_most;
      const Repulsion12<float> repulsion = system_.pair;
      const Partners<Mixed> none{};
      for (int k = 0; k < scratch_.pair_count[i]; ++k) {
        pair_force(
            i, list[k], system_.small_pair, explosion_range(repulsion),
            [&](const float*, float r2, int) {
              return repulsion.force_over_distance(r2, {}, none, 0);
            },
            [&](float r2) { return repulsion.in_range(r2, {}, none, 0); });
      }
    }
    if (system_.umbrella_first >= 0) umbrella_forces();
    for (int lane = 0; lane < width; ++lane) {
      if (large_force_weight_[lane] > WidePairForce::weight_limit) mark_unsure(lane);
    }
  }

  /// Adds along(d, r2, lane) * d to the force on `to` and its opposite to that on `from`. d: vector
  /// from `from` to `to`; along, and its limits small and range: [quanta/nm].
  template <class Along, class Counts>
  void pair_force(int to, int from, float small, float range, const Along& along,
                  const Counts& counts) {
    const std::int32_t* const x = scratch_.coordinate + to * row_size;
    const std::int32_t* const y = scratch_.coordinate + from * row_size;
    const float nm = system_.scale.x;
    float d[3][width], f[width];
    int large = 0;
    NFOLD_LANES
    for (int lane = 0; lane < width; ++lane) {
      const float one[3] = {
          Mixed::to_nm(Mixed::difference(x[lane], y[lane]), nm),
          Mixed::to_nm(Mixed::difference(x[width + lane], y[width + lane]), nm),
          Mixed::to_nm(Mixed::difference(x[2 * width + lane], y[2 * width + lane]), nm)};
      const float r2 = squared_length(one);
      const float any = along(one, r2, lane);
      f[lane] = counts(r2) ? any : 0.0F;
      d[0][lane] = one[0];
      d[1][lane] = one[1];
      d[2][lane] = one[2];
      large |= static_cast<int>(!(f[lane] < small && f[lane] > -small));
    }
    std::int32_t* const fx = scratch_.force + to * row_size;
    std::int32_t* const fy = scratch_.force + from * row_size;
    if (large != 0) return add_large(f, d, small, range, fx, fy);
    NFOLD_LANES
    for (int lane = 0; lane < width; ++lane) {
      for (int axis = 0; axis < 3; ++axis) {
        const std::int32_t quanta = Mixed::small_product(f[lane], d[axis][lane]);
        fx[axis * width + lane] += quanta;
        fy[axis * width + lane] -= quanta;
      }
    }
  }
  void add_large(const float* f, const float (*d)[width], float small, float range,
                 std::int32_t* fx, std::int32_t* fy) {
    for (int lane = 0; lane < width; ++lane) {
      const auto force = WidePairForce::of(f[lane], d[0][lane], d[1][lane], d[2][lane], range);
      for (int axis = 0; axis < 3; ++axis) {
        fx[axis * width + lane] += force.quanta[axis];
        fy[axis * width + lane] -= force.quanta[axis];
      }
      if (force.bad != 0) mark_unsure(lane);
      if (!(f[lane] < small && f[lane] > -small)) large_force_weight_[lane] += force.weight;
    }
  }

  /// Adds umbrella forces, rounded like those of a chain's bond.
  void umbrella_forces() {
    const std::int32_t* const x = scratch_.coordinate + system_.umbrella_first * row_size;
    const std::int32_t* const y = scratch_.coordinate + system_.umbrella_second * row_size;
    std::int32_t* const fx = scratch_.force + system_.umbrella_first * row_size;
    std::int32_t* const fy = scratch_.force + system_.umbrella_second * row_size;
    for (int lane = 0; lane < width; ++lane) {
      float d[3], f[3], size = 0;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = Mixed::to_nm(Mixed::difference(y[axis * width + lane], x[axis * width + lane]),
                               system_.scale.x);
      }
      Bond::forces(d, replicas_.umbrella[group_ * width + lane].parameter, f);
      for (const float component : f) size += component < 0 ? -component : component;
      if (!(size < system_.largest_term)) {
        mark_unsure(lane);
        continue;
      }
      for (int axis = 0; axis < 3; ++axis) {
        const std::int32_t quanta = Mixed::clamped_quanta(f[axis]);
        fx[axis * width + lane] += quanta;
        fy[axis * width + lane] -= quanta;
      }
    }
  }
  void chain_forces(int i) {
    const ChainTerms<float> terms = system_.chain[i];
    for (int lane = 0; lane < width; ++lane) size_[lane] = 0;
    if (terms.bond[Bond::k] != 0) add_term<Bond>(i, terms.bond);
    if (terms.angle[Angle::k] != 0) add_term<Angle>(i, terms.angle);
    if (terms.dihedral[Dihedral::k1] != 0 || terms.dihedral[Dihedral::k3] != 0) {
      add_term<Dihedral>(i, terms.dihedral);
    }
    for (int lane = 0; lane < width; ++lane) {
      if (!(size_[lane] < system_.largest_term)) mark_unsure(lane);
    }
  }
  template <class Term>
  void add_term(int i, const float* parameter) {
    const std::int32_t* const x = scratch_.coordinate + i * row_size;
    std::int32_t* const force = scratch_.force + i * row_size;
    float* const size = size_;
    const float nm = system_.scale.x;
    float p[Term::parameters];
    for (int k = 0; k < Term::parameters; ++k) p[k] = parameter[k];
    NFOLD_LANES
    for (int lane = 0; lane < width; ++lane) {
      float d[3 * (Term::ends - 1)], f[3 * Term::ends];
      NFOLD_UNROLL
      for (int k = 0; k < 3 * (Term::ends - 1); ++k) {
        d[k] = Mixed::to_nm(Mixed::difference(x[(k + 3) * width + lane], x[k * width + lane]), nm);
      }
      Term::forces(d, p, f);
      std::int32_t rest[3] = {0, 0, 0};
      NFOLD_UNROLL
      for (int e = 0; e < Term::ends; ++e) {
        if (e == Term::closing) continue;
        NFOLD_UNROLL
        for (int axis = 0; axis < 3; ++axis) {
          const float component = f[3 * e + axis];
          size[lane] += component < 0 ? -component : component;
          const std::int32_t quanta = Mixed::clamped_quanta(component);
          force[(3 * e + axis) * width + lane] += quanta;
          rest[axis] -= quanta;
        }
      }
      NFOLD_UNROLL
      for (int axis = 0; axis < 3; ++axis) {
        force[(3 * Term::closing + axis) * width + lane] += rest[axis];
      }
    }
  }

  /// Ends the step before, if there was one, and moves all residues through the next. Returns true
  /// if the lists must be rebuilt.
  template <bool ends_one>
  bool begin_step(std::uint64_t step) {
    const auto constants = system_.constants;
    const PhiloxKeys keys = system_.keys;
    const std::uint32_t* const number = replicas_.number + group_ * width;
    int bad[width] = {}, moved = 0;
    for (int i = 0; i < system_.residues; ++i) {
      const int mass_class = system_.mass_class[i];
      const double half_kick = system_.half_kick[mass_class];
      const double* const noise = replicas_.noise +
                                  static_cast<std::int64_t>(mass_class) * replicas_.groups * width +
                                  group_ * width;
      float normal[3][width], squared[width];
      NFOLD_LANES
      for (int lane = 0; lane < width; ++lane) {
        float a, b, c;
        draw_noise(keys, number[lane], i, step, a, b, c);
        normal[0][lane] = a;
        normal[1][lane] = b;
        normal[2][lane] = c;
      }
      for (int axis = 0; axis < 3; ++axis) {
        const int first = (i * 3 + axis) * width;
        const double half_drift = constants.half_drift[axis];
        const double limit = constants.half_drift_limit[axis];
        const double decay = constants.velocity_decay;
        double* const v = velocity_ + first;
        std::int64_t* const x = position_ + first;
        std::int32_t* const c = scratch_.coordinate + first;
        const std::int32_t* const f = scratch_.force + first;
        const float* const z = normal[axis];
        NFOLD_LANES
        for (int lane = 0; lane < width; ++lane) {
          const auto force = static_cast<double>(f[lane]);
          double u = kicked<ends_one>(v[lane], force, half_kick);
          std::int64_t q = x[lane];
          bad[lane] |= exceeds_force_limit<Mixed>(force) |
                       drift<true>(u, q, half_drift, limit, decay, noise[lane], z[lane]);
          v[lane] = u;
          x[lane] = q;
          c[lane] = Mixed::coordinate(q);
        }
      }
      const std::int32_t* const at = scratch_.coordinate + i * row_size;
      const std::int32_t* const listed = scratch_.listed + i * row_size;
      const float nm = system_.scale.x, limit = system_.move_limit_squared;
      NFOLD_LANES
      for (int lane = 0; lane < width; ++lane) {
        squared[lane] = squared_distance(at, listed, lane, nm);
        moved |= static_cast<int>(!(squared[lane] <= limit));
      }
    }
    mark(bad);
    return moved != 0;
  }

  void finish(bool ends_one) {
    int bad[width] = {};
    for (int i = 0; i < system_.residues; ++i) {
      const double half_kick = system_.half_kick[system_.mass_class[i]];
      for (int axis = 0; axis < 3; ++axis) {
        const int first = (i * 3 + axis) * width;
        for (int lane = 0; lane < width; ++lane) {
          const std::int32_t quanta = scratch_.force[first + lane];
          const auto force = static_cast<double>(quanta);
          bad[lane] |= exceeds_force_limit<Mixed>(force);
          if (ends_one) {
            velocity_[first + lane] = kicked<false>(velocity_[first + lane], force, half_kick);
          }
          force_[first + lane] = quanta;
        }
      }
    }
    mark(bad);
  }
  void mark(const int* bad) {
    for (int lane = 0; lane < width; ++lane) {
      if (bad[lane] != 0) mark_unsure(lane);
    }
  }

  static constexpr int partners_at_most = ResidentSystem<Contact>::partners_at_most;
  const ResidentSystem<Contact>& system_;
  const ResidentReplicas& replicas_;
  ResidentScratch scratch_;
  std::ptrdiff_t group_ = 0;
  std::int64_t* position_ = nullptr;
  double* velocity_ = nullptr;
  std::int32_t* force_ = nullptr;
  std::int32_t large_force_weight_[width] = {};
  float size_[width] = {};
};

}  // namespace nfold::kernels
