// Data that a rank derives from a new partition before residues migrate.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "domain/partition.hpp"
#include "engine/engine.hpp"
#include "engine/forces/force_base.hpp"
#include "engine/forces/force_tables.hpp"
#include "engine/forces/host_tables.hpp"
#include "engine/halo/halo_planner.hpp"
#include "engine/row_kicks.hpp"
#include "engine/row_migration.hpp"

namespace nfold::engine {

/// Device tables of a new partition, uploaded while steps go on.
template <class Precision>
struct RowsOnDevice {
  RowsOnDevice(const topology::Topology& topology, double contact_strength)
      : tables(topology, contact_strength) {}

  forces::ForceTables<Precision> tables;
  device::DeviceArray<double> mass{"mass"};
  RowKickTable kicks;
};

/// Depends on topology and partitions alone, so that a thread can build it while steps go on.
template <class Precision>
struct PreparedRows final : PreparedRepartition {
  using Map = std::shared_ptr<const domain::Ownership>;

  PreparedRows(const topology::Topology& topology, Map before_it, Map owner_now, int rank,
               int rank_count)
      : before(std::move(before_it)),
        owner(std::move(owner_now)),
        tables(topology, *owner, rank, rank_count) {
    const auto owned = static_cast<std::size_t>(tables.owned);
    mass_amu.assign(static_cast<std::size_t>(kernels::padded(tables.owned)), 0);
    std::vector<char> is_charged(owned, 0);
    for (std::size_t row = 0; row < owned; ++row) {
      const auto& residue = topology.residues[static_cast<std::size_t>(tables.ids[row])];
      mass_amu[row] = residue.mass_amu;
      if (residue.charge_e == 0) continue;
      is_charged[row] = 1;
      ++charged;
    }
    halo = halo::fixed_rows(std::span<const int>(tables.ids).first(owned), tables.local, *owner,
                            is_charged);
    if (before) move = find_row_migration(*before, *owner, rank, rank_count);
  }

  /// [bytes] that on_device and the row migration will take.
  [[nodiscard]] std::int64_t device_bytes() const {
    return tables.device_bytes() +
           static_cast<std::int64_t>(
               mass_amu.size() * sizeof(double) +
               (kicks.class_of_row.size() + move.leaving.size() + move.source.size()) *
                   sizeof(int));
  }

  Map before, owner;  ///< before: null if there was no partition
  forces::HostTables<Precision> tables;
  std::vector<double> mass_amu;  ///< (rows, padded)
  RowKickTable::Host kicks;
  int charged = 0;  ///< owned rows that are charged
  halo::FixedRows halo;
  RowMigration move;  ///< from the previous partition
  std::optional<MigrationBuffers>
      buffers;  ///< buffers of `move`, if the thread had memory for them
  /// Takes over `tables` and the uploaded masses, if the GPU had memory for them.
  std::optional<RowsOnDevice<Precision>> on_device;
#ifdef KOKKOS_ENABLE_CUDA
  /// Reserve for arrays that grow when residues arrive, if the GPU has memory for it.
  std::optional<device::PoolReservation> ready;
#endif
};

}  // namespace nfold::engine
