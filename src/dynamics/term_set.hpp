// The terms of one kind that this rank computes, as tables on the device.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "dynamics/device_array.hpp"
#include "kernels/term_loop.hpp"

namespace nfold::dynamics {

/// One term as the builder sees it: local rows and numbers.
template <class Term>
struct LocalTerm {
  std::array<int, Term::ends> row;
  std::array<double, Term::parameters> parameter;
  bool counted;  // this rank counts its energy
};

/// Tables of a kind of term: those without ghosts first, each part padded on its own.
template <class Precision, class Term>
class TermSet {
 public:
  using Real = typename Precision::Real;

  explicit TermSet(const std::string& label)
      : counted_(label + ".counted"),
        rows_{make_arrays<int, Term::ends>(label + ".row")},
        parameters_{make_arrays<Real, Term::parameters>(label + ".parameter")},
        exact_{make_arrays<double, Term::parameters>(label + ".exact_parameter")} {}

  /// Takes the terms; rows below `owned` are owned. Appends to slots_of_row[row] the slots in which
  /// the forces on an owned row will stand, the first of all being first_slot; returns the next.
  /// Without forces, which something else then computes, the terms serve energies only.
  std::int64_t build(std::vector<LocalTerm<Term>> terms, int owned, std::int64_t first_slot,
                     bool with_forces, std::vector<std::vector<int>>& slots_of_row) {
    with_forces_ = with_forces;
    std::vector<LocalTerm<Term>> sorted;
    std::vector<char> real;
    for (const bool border : {false, true}) {
      for (const auto& term : terms) {
        bool has_ghost = false;
        for (const int row : term.row) has_ghost = has_ghost || row >= owned;
        if (has_ghost != border) continue;
        sorted.push_back(term);
        real.push_back(1);
      }
      while (sorted.size() % kernels::term_padding != 0) {
        sorted.push_back(sorted.back());
        sorted.back().counted = false;
        real.push_back(0);
      }
      if (!border) interior_ = static_cast<int>(sorted.size());
    }
    total_ = static_cast<int>(sorted.size());
    first_slot_ = first_slot;
    for (int t = 0; t < total_; ++t) {
      if (real[t] == 0 || !with_forces) continue;
      for (int e = 0; e < Term::ends; ++e) {
        const int row = sorted[t].row[e];
        if (row < owned) {
          slots_of_row[row].push_back(
              static_cast<int>(first_slot + static_cast<std::int64_t>(e) * total_ + t));
        }
      }
    }
    upload(sorted);
    return first_slot + (with_forces ? static_cast<std::int64_t>(Term::ends) * total_ : 0);
  }

  /// Work items without ghosts and of all.
  [[nodiscard]] int interior_items() const { return with_forces_ ? interior_ / kernels::lanes : 0; }
  [[nodiscard]] int items() const { return with_forces_ ? total_ / kernels::lanes : 0; }
  [[nodiscard]] int terms() const { return total_; }
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(total_) *
           static_cast<std::int64_t>(sizeof(int) * (Term::ends + 1) +
                                     (sizeof(Real) + sizeof(double)) * Term::parameters);
  }

  [[nodiscard]] kernels::TermForceLoop<Precision, Term> force_loop(
      kernels::Columns<const typename Precision::Coordinate> x, kernels::Scale<Real> scale,
      const kernels::TermForces<Precision>& force, int* exploded) const {
    kernels::TermForceLoop<Precision, Term> loop{{},          x,      scale,   force,
                                                 first_slot_, total_, exploded};
    for (int e = 0; e < Term::ends; ++e) loop.table.row[e] = rows_[e].data();
    for (int k = 0; k < Term::parameters; ++k) loop.table.parameter[k] = parameters_[k].data();
    return loop;
  }
  [[nodiscard]] kernels::TermEnergyLoop<Precision, Term> energy_loop(
      kernels::Columns<const typename Precision::Coordinate> x,
      kernels::Scale<double> scale) const {
    kernels::TermEnergyLoop<Precision, Term> loop{{}, counted_.data(), x, scale};
    for (int e = 0; e < Term::ends; ++e) loop.table.row[e] = rows_[e].data();
    for (int k = 0; k < Term::parameters; ++k) loop.table.parameter[k] = exact_[k].data();
    return loop;
  }
  [[nodiscard]] kernels::TermVirialLoop<Precision, Term> virial_loop(
      kernels::Columns<const typename Precision::Coordinate> x,
      kernels::Scale<double> scale) const {
    return {energy_loop(x, scale)};
  }

 private:
  template <class T, int n>
  static std::vector<DeviceArray<T>> make_arrays(const std::string& label) {
    std::vector<DeviceArray<T>> arrays;
    arrays.reserve(n);
    for (int i = 0; i < n; ++i) arrays.emplace_back(label + std::to_string(i));
    return arrays;
  }
  void upload(const std::vector<LocalTerm<Term>>& terms) {
    std::vector<int> column(terms.size());
    for (int e = 0; e < Term::ends; ++e) {
      for (std::size_t t = 0; t < terms.size(); ++t) column[t] = terms[t].row[e];
      rows_[e].upload(column);
    }
    for (std::size_t t = 0; t < terms.size(); ++t) column[t] = terms[t].counted ? 1 : 0;
    counted_.upload(column);
    std::vector<Real> numbers(terms.size());
    std::vector<double> exact(terms.size());
    for (int k = 0; k < Term::parameters; ++k) {
      for (std::size_t t = 0; t < terms.size(); ++t) {
        exact[t] = terms[t].parameter[k];
        numbers[t] = static_cast<Real>(exact[t]);
      }
      parameters_[k].upload(numbers);
      exact_[k].upload(exact);
    }
  }

  DeviceArray<int> counted_;
  std::vector<DeviceArray<int>> rows_;
  std::vector<DeviceArray<Real>> parameters_;
  std::vector<DeviceArray<double>> exact_;
  bool with_forces_ = true;
  int interior_ = 0, total_ = 0;
  std::int64_t first_slot_ = 0;
};

}  // namespace nfold::dynamics
