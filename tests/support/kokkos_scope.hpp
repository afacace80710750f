// Kokkos for the life of a test program, on all its ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "device/compute_environment.hpp"
#include "dynamics/engine.hpp"

namespace nfold::test {

class KokkosScope : public testing::Environment {
 public:
  void SetUp() override { scope_ = std::make_unique<device::ComputeEnvironment>(all_ranks()); }
  void TearDown() override { scope_.reset(); }

 private:
  /// They share out the GPUs among them; a test without MPI is alone.
  static comm::Communicator all_ranks() {
    try {
      return comm::Communicator::world();
    } catch (const comm::CommunicationError&) {
      return {};
    }
  }
  std::unique_ptr<device::ComputeEnvironment> scope_;
};

/// For a namespace-scope constant of a test file: gtest owns what it returns.
inline testing::Environment* start_kokkos() {
  return testing::AddGlobalTestEnvironment(new KokkosScope);
}

}  // namespace nfold::test
