// Kokkos for the life of a test program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "dynamics/engine.hpp"

namespace nfold::test {

class KokkosScope : public testing::Environment {
 public:
  void SetUp() override {
    scope_ = std::make_unique<dynamics::ComputeEnvironment>(comm::Communicator());
  }
  void TearDown() override { scope_.reset(); }

 private:
  std::unique_ptr<dynamics::ComputeEnvironment> scope_;
};

/// For a namespace-scope constant of a test file: gtest owns what it returns.
inline testing::Environment* start_kokkos() {
  return testing::AddGlobalTestEnvironment(new KokkosScope);
}

}  // namespace nfold::test
