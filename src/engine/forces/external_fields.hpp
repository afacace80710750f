// External fields of a system: forces and energies on the owned beads.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "domain/rank_counts.hpp"
#include "engine/forces/exact_totals.hpp"
#include "kernels/loops/external_fields.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Fields act on each bead alone, so that ranks share nothing but the sum of energies.
template <class Precision>
class ExternalFields {
 public:
  explicit ExternalFields(const topology::Topology& topology) : topology_(topology) {
    for (const auto& field : topology.fields) fields_.push_back(to_kernel(field));
  }
  static void estimate(device::MemoryEstimate& estimate, const topology::Topology& topology,
                       const domain::RankCounts& counts) {
    if (topology.fields.empty()) return;
    estimate.in("external fields").count([&] {
      device::DeviceArray<std::uint32_t>("external.feels").reserve(counts.owned);
    });
  }
  [[nodiscard]] bool any() const { return !fields_.empty(); }

  /// Sets the owned rows.
  void set_owned(const std::vector<int>& ids, int owned) {
    if (!any()) return;
    rows_ = owned;
    std::vector<std::uint32_t> feels(static_cast<std::size_t>(owned));
    for (std::size_t row = 0; row < feels.size(); ++row) {
      const topology::Residue bead = topology_.residues[static_cast<std::size_t>(ids[row])];
      const int species = topology_.chains[static_cast<std::size_t>(bead.chain)].species;
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        const auto& all = topology_.fields[f].species;
        if (std::ranges::find(all, species) != all.end()) feels[row] |= bit(f);
      }
    }
    feels_.upload(feels);
  }

  /// Adds the forces at these positions of a step to the owned rows' totals [quanta].
  void add_forces(std::int64_t step, kernels::Columns<const std::int64_t> position,
                  kernels::Columns<std::int64_t> total, int* exploded) {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (step >= topology_.fields[f].until_step) continue;
      device::launch("external forces", rows_,
                     kernels::ExternalForceLoop<Precision>{fields_[f], bit(f), feels_.data(),
                                                           position, total, exploded});
    }
  }

  /// Collective. Returns the energy of all fields at these positions of a step.
  [[nodiscard]] kernels::ExactSums<1> energy(const comm::Communicator& communicator,
                                             std::int64_t step,
                                             kernels::Columns<const std::int64_t> position) const {
    kernels::ExactSums<1> all;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (step >= topology_.fields[f].until_step) continue;
      all += device::sum_over(
          "external energy", rows_,
          kernels::ExternalEnergyLoop{fields_[f], bit(f), feels_.data(), position});
    }
    if (any()) sum_ranks(communicator, all);
    return all;
  }

 private:
  static std::uint32_t bit(std::size_t field) { return std::uint32_t{1} << field; }

  [[nodiscard]] kernels::ExternalField to_kernel(const bias::ExternalField& from) const {
    kernels::ExternalField to{};
    const auto& box = topology_.box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      to.origin[axis] = box.to_counts(axis, from.origin_nm[axis]);
      to.nm[axis] = from.axes[axis] ? box.nm_per_count(axis) : 0;
      to.periodic[axis] = box.is_periodic(axis) ? 1 : 0;
    }
    to.inner = from.inner_nm;
    to.centre = from.centre_nm;
    to.k = from.k_kj_mol_nm2;
    to.slope = from.slope_kj_mol_nm;
    return to;
  }

  const topology::Topology& topology_;
  std::vector<kernels::ExternalField> fields_;
  int rows_ = 0;
  device::DeviceArray<std::uint32_t> feels_{"external.feels"};  // (rows) bits of fields
};

}  // namespace nfold::forces
