// Kokkos for the life of a test program, on all its ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "device/compute_environment.hpp"
#include "engine/engine.hpp"

namespace nfold::test {

class KokkosScope : public testing::Environment {
 public:
  void SetUp() override { scope_ = std::make_unique<device::ComputeEnvironment>(all_ranks()); }
  void TearDown() override { scope_.reset(); }

 private:
  /// All ranks, which share the GPUs; one process in a test without MPI.
  static comm::Communicator all_ranks() {
    try {
      return comm::Communicator::world();
    } catch (const comm::CommunicationError&) {
      return {};
    }
  }
  std::unique_ptr<device::ComputeEnvironment> scope_;
};

/// Initialises a namespace-scope constant of a test file. gtest owns the returned environment.
inline testing::Environment* start_kokkos() {
  return testing::AddGlobalTestEnvironment(new KokkosScope);
}

}  // namespace nfold::test
