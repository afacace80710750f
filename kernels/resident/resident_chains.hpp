// Resident steps of one replica of disordered chains on a CPU; vector lanes are residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <type_traits>

#include "kernels/arithmetic/force_rounding.hpp"
#include "kernels/arithmetic/philox_lanes.hpp"
#include "kernels/potentials/bond.hpp"
#include "kernels/resident/pair_windows.hpp"
#include "kernels/resident/resident_system.hpp"

namespace nfold::kernels {

/// Columns of a replica's residues beside those of its pairs.
struct ChainColumns {
  std::int64_t position[3][window_column];
  double velocity[3][window_column];
  double half_kick[window_column], noise[window_column];
  std::int32_t listed[3][window_column];      // coordinates when the lists were built
  std::uint32_t force[3][window_column];      // [quanta] modulo 2^32
  std::int32_t bond_force[3][window_column];  // at i + 1: force on i of the bond to i + 1
  float bond_length[window_column], bond_k[window_column];
  int charged[window_column];  // residues with a charge
};

/// Advances replicas one by one, in a scratch memory of which a core's cache holds what is in use.
template <class Contact>
class ResidentChains {
 public:
  /// Bytes of the scratch memory.
  [[nodiscard]] static std::int64_t scratch_bytes(const ResidentSystem<Contact>& system) {
    return ResidentChains(system, {}).take_from(nullptr);
  }
  ResidentChains(const ResidentSystem<Contact>& system, const ResidentReplicas& replicas,
                 std::byte* scratch)
      : ResidentChains(system, replicas) {
    take_from(scratch);
    set_residues();
    set_charges();
  }

  void advance(std::ptrdiff_t replica, std::uint64_t first_step, std::int64_t steps) {
    unsure_ = false;
    load(replica);
    bool rebuild = true;
    for (std::int64_t step = 0; step < steps; ++step) {
      if (rebuild) make_lists();
      compute_forces(replica);
      const auto number = first_step + static_cast<std::uint64_t>(step);
      rebuild = step == 0 ? begin_step<false>(number) : begin_step<true>(number);
    }
    if (rebuild) make_lists();
    compute_forces(replica);
    store(replica, steps > 0);
    if (unsure_) replicas_.unsure[replica] |= ResidentUnsure::out_of_range;
  }

 private:
  static constexpr int width = pair_lanes;
  /// Limit of the forces on one residue that are rounded by one addition; beyond it sums modulo
  /// 2^32 might hide a force out of range, together with bonds, an umbrella and large forces.
  static constexpr int forces_at_most = 592;

  ResidentChains(const ResidentSystem<Contact>& system, const ResidentReplicas& replicas)
      : system_(system), replicas_(replicas), rows_(window_blocks(system.residues) * width) {}

  /// Returns the bytes that it takes.
  std::int64_t take_from(std::byte* scratch) {
    ScratchParts parts(scratch);
    parts.take(1, own_);
    pairs_.take_from(parts, system_.residues);
    charges_.take_from(parts, system_.charge_pairs > 0 ? system_.residues : 0);
    return parts.bytes();
  }

  void set_residues() {
    pairs_.clear(system_.residues);
    auto& columns = pairs_.columns();
    auto& own = *own_;
    std::memset(own_, 0, sizeof(ChainColumns));
    for (int i = 0; i < system_.residues; ++i) {
      const ResidentResidue& residue = system_.residue[i];
      columns.half_sigma[i] = residue.half_sigma;
      columns.half_lambda[i] = residue.half_lambda;
      columns.kind[i] = residue.kind;
      has_domains_ |= residue.kind >= types_at_most;
      own.half_kick[i] = system_.half_kick[system_.mass_class[i]];
      own.bond_length[i] = system_.chain[i].bond[Bond::length];
      own.bond_k[i] = system_.chain[i].bond[Bond::k];
    }
    for_each_kept(system_.kept_pairs, [&](int i, int j) { pairs_.add_pair(i, j); });
  }
  void set_charges() {
    if (system_.charge_pairs == 0) return;
    std::int32_t* const index_of = own_->listed[0];  // not in use yet
    int count = 0;
    for (int i = 0; i < system_.residues; ++i) {
      index_of[i] = count;
      if (system_.residue[i].charge != 0) own_->charged[count++] = i;
    }
    charges_.clear(count);
    float uneven = 0;
    for (int k = 0; k < count; ++k) {
      const float charge = system_.residue[own_->charged[k]].charge;
      charges_.columns().charge[k] = charge;
      // A factor that is a power of two changes no rounding.
      const float size = Kokkos::abs(charge);
      if ((to_bits(size) & 0x007fffff) == 0) continue;
      if (uneven != 0 && uneven != size) has_symmetric_charges_ = false;
      uneven = size;
    }
    for_each_kept(system_.kept_charge_pairs,
                  [&](int i, int j) { charges_.add_pair(index_of[i], index_of[j]); });
  }
  template <class Each>
  void for_each_kept(const std::uint32_t* kept, const Each& each) const {
    for (int i = 0; i < system_.residues; ++i) {
      for (int word = 0; word < system_.mask_words; ++word) {
        for (std::uint32_t bits = kept[i * system_.mask_words + word]; bits != 0;
             bits &= bits - 1) {
          each(i, word * 32 + __builtin_ctz(bits));
        }
      }
    }
  }

  void load(std::ptrdiff_t replica) {
    const std::int64_t first = replica * system_.residues * 3;
    auto& own = *own_;
    number_ = replicas_.number[replica];
    for (int i = 0; i < rows_ + width; ++i) {
      const bool is_there = i < system_.residues;
      if (is_there) {
        own.noise[i] =
            replicas_.noise[std::int64_t{system_.mass_class[i]} * replicas_.groups + replica];
      }
      for (int axis = 0; axis < 3; ++axis) {
        // Padding rows stay where the first residue is.
        const std::int64_t at = first + (is_there ? 3 * i : 0) + axis;
        own.position[axis][i] = replicas_.position[at];
        own.velocity[axis][i] = is_there ? replicas_.velocity[at] : 0;
        pairs_.columns().coordinate[axis][i] = Mixed::coordinate(replicas_.position[at]);
      }
    }
  }
  void store(std::ptrdiff_t replica, bool ends_one) {
    const std::int64_t first = replica * system_.residues * 3;
    const auto& own = *own_;
    for (int i = 0; i < system_.residues; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const std::int64_t to = first + 3 * i + axis;
        const auto quanta = static_cast<std::int32_t>(own.force[axis][i]);
        const auto force = static_cast<double>(quanta);
        unsure_ |= exceeds_force_limit<Mixed>(force) != 0;
        replicas_.position[to] = own.position[axis][i];
        replicas_.force[to] = quanta;
        if (!ends_one) continue;
        replicas_.velocity[to] = kicked<false>(own.velocity[axis][i], force, own.half_kick[i]);
      }
    }
  }

  /// Rebuilds the lists.
  void make_lists() {
    // Floats and their differences are exact up to 2^24 counts from the origin.
    constexpr std::int64_t reach = (1 << 24) - (1 << 20);
    are_places_exact_ = true;
    auto& columns = pairs_.columns();
    for (int axis = 0; axis < 3; ++axis) {
      const std::int32_t* const x = columns.coordinate[axis];
      std::int64_t low = 0, high = 0;
      for (int i = 0; i < system_.residues; ++i) {
        const std::int64_t from_first = Mixed::difference(x[i], x[0]);
        low = from_first < low ? from_first : low;
        high = from_first > high ? from_first : high;
      }
      are_places_exact_ &= high - low < 2 * reach;
      origin_[axis] = Mixed::difference(x[0], static_cast<std::int32_t>(-(low + high) / 2));
      for (int i = 0; i < rows_ + width; ++i) {
        own_->listed[axis][i] = x[i];
        columns.place[axis][i] = place_of(x[i], axis);
      }
    }
    with_coordinates([&](auto zero) {
      using Coordinate = decltype(zero);
      const float nm = system_.scale.x;
      int forces = pairs_.list<Coordinate>(nm, system_.list_range_squared);
      if (charges_.count() > 0) {
        gather_charges<Coordinate>();
        forces += charges_.list<Coordinate>(nm, system_.charge_range_squared);
      }
      unsure_ |= forces > forces_at_most;
    });
  }
  [[nodiscard]] float place_of(std::int32_t coordinate, int axis) const {
    return Mixed::to_nm(Mixed::difference(coordinate, origin_[axis]), system_.scale.x);
  }
  /// Calls visit with a zero of the type in which coordinates are to be read: float if places are
  /// exact.
  template <class Visit>
  void with_coordinates(const Visit& visit) const {
    if (are_places_exact_) {
      visit(0.0F);
    } else {
      visit(std::int32_t{0});
    }
  }
  template <class Coordinate>
  void gather_charges() {
    const auto& x = pairs_.columns().template coordinates<Coordinate>();
    auto& to = charges_.columns().template coordinates<Coordinate>();
    for (int axis = 0; axis < 3; ++axis) {
      for (int k = 0; k < charges_.count(); ++k) to[axis][k] = x[axis][own_->charged[k]];
    }
  }

  void compute_forces(std::ptrdiff_t replica) {
    std::int32_t weight = 0;
    const float nm = system_.scale.x;
    with_coordinates([&](auto zero) {
      using Coordinate = decltype(zero);
      with_pair([&](const auto& pair) {
        unsure_ |= !pairs_.compute_forces<true, Coordinate>(pair, nm, system_.small_pair, weight);
      });
      compute_bonds<Coordinate>();
      sum_pairs_and_bonds();
      if (charges_.count() == 0) return;
      gather_charges<Coordinate>();
      const auto potential = replicas_.electrostatics[replica];
      const float small = system_.small_charges;
      unsure_ |= has_symmetric_charges_
                     ? !charges_.compute_forces<true, Coordinate>(potential, nm, small, weight)
                     : !charges_.compute_forces<false, Coordinate>(potential, nm, small, weight);
      for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < charges_.count(); ++k) {
          own_->force[axis][own_->charged[k]] += charges_.columns().force(axis, k);
        }
      }
    });
    if (system_.umbrella_first >= 0) add_umbrella(replicas_.umbrella[replica]);
    unsure_ |= weight > WidePairForce::weight_limit;
  }
  /// Calls visit with the pair potential, in its fastest form.
  template <class Visit>
  void with_pair(const Visit& visit) const {
    using Pair = typename ResidentSystem<Contact>::Pair;
    if constexpr (std::is_same_v<Pair, AshbaughHatch<float, true>>) {
      const Pair& p = system_.pair;
      if (p.cutoff_over_sigma_squared == 0 && !(p.domains_only_repel && has_domains_)) {
        return visit(AshbaughHatch<float, false>{p.epsilon, p.epsilon_24, p.cutoff_squared,
                                                 p.cutoff_over_sigma_squared, p.shifted,
                                                 p.domains_only_repel});
      }
    }
    visit(system_.pair);
  }

  template <class Coordinate>
  void compute_bonds() {
    const float nm = system_.scale.x, limit = system_.largest_term;
    const auto& x = pairs_.columns().template coordinates<Coordinate>();
    auto& own = *own_;
    int bad[width] = {};
    for (std::ptrdiff_t i = 0; i < rows_; i += width) {
      NFOLD_LANES
      for (int lane = 0; lane < width; ++lane) {
        const float p[Bond::parameters] = {own.bond_length[i + lane], own.bond_k[i + lane]};
        float d[3], f[3], size = 0;
        NFOLD_UNROLL
        for (int axis = 0; axis < 3; ++axis) {
          d[axis] = difference_nm(x[axis][i + lane + 1], x[axis][i + lane], nm);
        }
        Bond::forces(d, p, f);
        NFOLD_UNROLL
        for (int axis = 0; axis < 3; ++axis) {
          const float component = p[Bond::k] != 0 ? f[axis] : 0.0F;
          size += Kokkos::abs(component);
          own.bond_force[axis][i + lane + 1] = Mixed::clamped_quanta(component);
        }
        bad[lane] |= static_cast<int>(!(size < limit));
      }
    }
    mark(bad);
  }
  void sum_pairs_and_bonds() {
    const auto& pairs = pairs_.columns();
    auto& own = *own_;
    const int rows = rows_;
    for (int axis = 0; axis < 3; ++axis) {
      NFOLD_LANES
      for (int i = 0; i < rows; ++i) {
        own.force[axis][i] = pairs.force(axis, i) +
                             static_cast<std::uint32_t>(own.bond_force[axis][i + 1]) -
                             static_cast<std::uint32_t>(own.bond_force[axis][i]);
      }
    }
  }
  /// Adds umbrella forces, rounded like those of a chain's bond.
  void add_umbrella(const ResidentUmbrella& umbrella) {
    const int first = system_.umbrella_first, second = system_.umbrella_second;
    const auto& x = pairs_.columns().coordinate;
    float d[3], f[3], size = 0;
    for (int axis = 0; axis < 3; ++axis) {
      d[axis] = difference_nm(x[axis][second], x[axis][first], system_.scale.x);
    }
    Bond::forces(d, umbrella.parameter, f);
    for (const float component : f) size += Kokkos::abs(component);
    if (!(size < system_.largest_term)) {
      unsure_ = true;
      return;
    }
    for (int axis = 0; axis < 3; ++axis) {
      const auto quanta = static_cast<std::uint32_t>(Mixed::clamped_quanta(f[axis]));
      own_->force[axis][first] += quanta;
      own_->force[axis][second] -= quanta;
    }
  }

  /// Ends the step before, if there was one, and moves all residues through the next. Returns true
  /// if the lists must be rebuilt.
  template <bool ends_one>
  bool begin_step(std::uint64_t step) {
    const auto constants = system_.constants;
    const float nm = system_.scale.x, move_limit = system_.move_limit_squared;
    auto& own = *own_;
    auto& columns = pairs_.columns();
    int bad[width] = {}, moved[width] = {};
    for (std::ptrdiff_t i = 0; i < rows_; i += width) {
      float normal[3][width], squared[width] = {};
      draw(i, step, normal);
      for (int axis = 0; axis < 3; ++axis) {
        const double half_drift = constants.half_drift[axis];
        const double limit = constants.half_drift_limit[axis];
        const double decay = constants.velocity_decay;
        const std::int32_t origin = origin_[axis];
        NFOLD_LANES
        for (int lane = 0; lane < width; ++lane) {
          const std::ptrdiff_t row = i + lane;
          const auto force = static_cast<double>(static_cast<std::int32_t>(own.force[axis][row]));
          double u = kicked<ends_one>(own.velocity[axis][row], force, own.half_kick[row]);
          std::int64_t q = own.position[axis][row];
          bad[lane] |=
              exceeds_force_limit<Mixed>(force) |
              drift<true>(u, q, half_drift, limit, decay, own.noise[row], normal[axis][lane]);
          own.velocity[axis][row] = u;
          own.position[axis][row] = q;
          const std::int32_t rounded = Mixed::coordinate(q);
          columns.coordinate[axis][row] = rounded;
          columns.place[axis][row] = Mixed::to_nm(Mixed::difference(rounded, origin), nm);
          const float move = Mixed::to_nm(Mixed::difference(rounded, own.listed[axis][row]), nm);
          squared[lane] = fused(move, move, squared[lane]);
        }
      }
      NFOLD_LANES
      for (int lane = 0; lane < width; ++lane) {
        moved[lane] |= static_cast<int>(!(squared[lane] <= move_limit));
      }
    }
    mark(bad);
    int any = 0;
    for (const int one : moved) any |= one;
    return any != 0;
  }
  /// Draws the noise of residues from i on, as draw_noise() does.
  NFOLD_FUNCTION void draw(std::ptrdiff_t i, std::uint64_t step, float (*normal)[width]) const {
    std::uint32_t word[4][width];
    NFOLD_LANES
    for (int lane = 0; lane < width; ++lane) {
      const PhiloxWords counter = random_counter(RandomStream::langevin_noise, number_,
                                                 static_cast<std::uint32_t>(i + lane), step, 0);
      word[0][lane] = counter.w0;
      word[1][lane] = counter.w1;
      word[2][lane] = counter.w2;
      word[3][lane] = counter.w3;
    }
    philox_of_lanes(word, system_.keys);
    NFOLD_LANES
    for (int lane = 0; lane < width; ++lane) {
      float a, b, c;
      three_normals({word[0][lane], word[1][lane], word[2][lane], word[3][lane]}, a, b, c);
      normal[0][lane] = a;
      normal[1][lane] = b;
      normal[2][lane] = c;
    }
  }
  void mark(const int* bad) {
    for (int lane = 0; lane < width; ++lane) unsure_ |= bad[lane] != 0;
  }

  const ResidentSystem<Contact>& system_;
  const ResidentReplicas replicas_;
  int rows_;  // residues, padded to whole vectors
  ChainColumns* own_ = nullptr;
  PairWindows pairs_, charges_;
  std::int32_t origin_[3] = {};
  std::uint32_t number_ = 0;
  bool has_domains_ = false, has_symmetric_charges_ = true, are_places_exact_ = false;
  bool unsure_ = false;
};

}  // namespace nfold::kernels
