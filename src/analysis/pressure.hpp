// Pressure tensor and surface tension.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "analysis/blocked_sums.hpp"
#include "analysis/frame.hpp"

namespace nfold::analysis {

/// Returns the pressure [bar] from kinetic = sum m v v and virial = sum r F, both [kJ/mol], in a
/// volume.
[[nodiscard]] Tensor pressure_bar(const Tensor& kinetic_kj_mol, const Tensor& virial_kj_mol,
                                  double volume_nm3);

/// Returns the tension [mN/m] of each of the two surfaces of a slab across `axis`: half the box
/// length times normal minus mean lateral pressure (Kirkwood and Buff, J. Chem. Phys. 17, 338
/// (1949)).
[[nodiscard]] double surface_tension_mn_m(const Tensor& pressure_bar, std::size_t axis,
                                          double length_nm);

/// Averages Frame::pressure_bar, which must be set.
class PressureAverage final : public Accumulator {
 public:
  /// Throws AnalysisError unless the box is periodic along all axes. axis: normal of the slab.
  PressureAverage(const topology::Topology& topology, std::size_t axis);

  [[nodiscard]] std::string name() const override { return "pressure"; }
  void add(const Frame& frame) override;
  [[nodiscard]] std::vector<Result> results() const override;

 protected:
  void save_parameters(WordWriter& to) const override { to.put(static_cast<std::int64_t>(axis_)); }
  void save_sums(WordWriter& to) const override { sums_.save(to); }
  void restore_sums(WordReader& from) override { sums_.restore(from); }

 private:
  system::Box box_;
  std::size_t axis_;
  BlockedSums sums_{11};  // tensor by rows, a third of its trace, surface tension
};

}  // namespace nfold::analysis
