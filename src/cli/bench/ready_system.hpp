// System of the suite, built and warmed up, that is timed once or in turns with others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "cli/bench/rows.hpp"
#include "cli/bench/suite.hpp"
#include "cli/bench/systems.hpp"
#include "comm/communicator.hpp"
#include "device/job_devices.hpp"
#include "engine/engine.hpp"
#include "replicas/replica_set.hpp"

namespace nfold::bench {

class ReadySystem {
 public:
  /// Collective. `communicator` must outlive it. about: receives all properties but the
  /// measurement. Throws the failures that measure_system() returns as a reason, before anything
  /// is allocated if the memory cannot suffice.
  ReadySystem(const comm::Communicator& communicator,
              const std::shared_ptr<device::JobDevices>& devices, const BenchSystem& system,
              const SuiteOptions& options, BenchResult& about);
  ReadySystem(const ReadySystem&) = delete;  // the engine refers to the topology
  ReadySystem& operator=(const ReadySystem&) = delete;
  ~ReadySystem() = default;

  /// Collective.
  [[nodiscard]] Measurement time(const Timing& timing);
  [[nodiscard]] const input::Settings& settings() const { return settings_; }
  [[nodiscard]] const topology::Topology& topology() const { return built_.topology; }
  /// Collective. Returns the current state of all residues; empty for replicas.
  [[nodiscard]] system::State state() const {
    return engine_ ? engine_->shared_state() : system::State();
  }

 private:
  const comm::Communicator& communicator_;
  input::Settings settings_;
  BuiltSystem built_;
  std::optional<engine::Engine> engine_;
  std::optional<replicas::ReplicaSet> replicas_;
};

}  // namespace nfold::bench
