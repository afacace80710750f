// The engine in one precision: owns the parts of its steps, and repartitions them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <future>
#include <memory>
#include <vector>

#include "domain/partition.hpp"
#include "engine/engine.hpp"
#include "engine/prepared_rows.hpp"
#include "engine/step_parts.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "engine/cuda/block_pipeline.hpp"
#include "engine/cuda/device_snapshot.hpp"
#endif

namespace nfold::engine {

/// Engine in one precision; engine.hpp describes its functions.
template <class Precision>
class StepEngine {
 public:
  StepEngine(const comm::Communicator& communicator, const topology::Topology& topology,
             const EngineSettings& settings, system::State start, domain::Ownership owner);

  [[nodiscard]] StepParts<Precision>& parts() { return parts_; }
  void advance(std::int64_t steps);
  [[nodiscard]] RowSnapshot snapshot_state();
  void restore_state(const system::State& mine);

  // Reports; step_reports.cpp.

  [[nodiscard]] Energies energies();
  [[nodiscard]] std::vector<double> screened_energies(const std::vector<double>& kappa_per_nm);
  [[nodiscard]] Pressure pressure();
  [[nodiscard]] std::vector<system::FixedPosition> owned_positions() const;
  [[nodiscard]] std::vector<system::FixedPosition> positions_of_rows(
      const std::vector<int>& rows) const;
  void visit_positions_nm(const PositionVisit& visit, int residues_at_a_time);
  [[nodiscard]] std::vector<std::array<double, 3>> owned_forces();
  [[nodiscard]] EngineStatistics statistics() const;

  // Repartition; step_ownership.cpp.

  void set_owner(domain::Ownership owner);
  [[nodiscard]] RepartitionPreparation repartition_preparation(domain::Ownership owner) const;
  void set_owner(std::shared_ptr<PreparedRepartition> prepared);
  [[nodiscard]] std::shared_ptr<const domain::Ownership> owner() const { return owner_; }

 private:
  using Map = std::shared_ptr<const domain::Ownership>;

  [[nodiscard]] std::shared_ptr<PreparedRows<Precision>> prepared(Map before, Map owner) const;
  void put_on_device(PreparedRows<Precision>& rows) const;
  /// Collective.
  void check_coverage(const PreparedRows<Precision>& rows) const;
  void take_rows(PreparedRows<Precision>& rows);
  /// Collective.
  void migrate_to(PreparedRows<Precision>& rows);

  StepParts<Precision> parts_;
  Map owner_;
#ifdef KOKKOS_ENABLE_CUDA
  std::unique_ptr<BlockPipeline<Precision>> pipeline_;  // created at the first captured step
  std::unique_ptr<DeviceSnapshot> held_;                // created on request
  std::future<void> pending_release_;                   // frees tables of the previous partition
#endif
};

}  // namespace nfold::engine
