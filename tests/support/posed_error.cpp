// Computation error of nfold_erring, which a test sets by environment variables.
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces src/session/run/compute_block.cpp, src/session/ensemble/compute_replicas.cpp and
// src/device/device_test.cpp.
//
// ERR_RANK (-2: each rank) and ERR_STEP: on that rank, in the block that starts at that step, one
// bit of a velocity is flipped. ERR_PASS: computation of the block, from 1, with the error; 0:
// each. ERR_THROWS=1: the device throws Kokkos's error there instead and fails its test from then
// on. With another number it throws but passes its test.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "comm/rank_record.hpp"
#include "device/device_test.hpp"
#include "session/ensemble/compute_replicas.hpp"
#include "session/run/compute_block.hpp"

namespace nfold {
namespace {

bool has_failed = false;

std::int64_t posed(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? -1 : std::stoll(text);
}

bool is_to_err(std::int64_t first_step) {
  static std::map<std::int64_t, int> passes;
  const auto pass = ++passes[first_step];
  const auto rank = posed("ERR_RANK");  // -2: each rank
  if (first_step != posed("ERR_STEP") || (rank != -2 && comm::own_record().rank != rank))
    return false;
  if (posed("ERR_PASS") != 0 && posed("ERR_PASS") != pass) return false;
  if (std::getenv("ERR_THROWS") != nullptr) {
    has_failed = posed("ERR_THROWS") == 1;
    throw std::runtime_error("cudaStreamSynchronize error( cudaErrorECCUncorrectable)");
  }
  return true;
}

void err(system::State& state) {
  if (state.velocity.empty()) return;
  double& component = state.velocity[state.velocity.size() / 2][1];
  component = std::bit_cast<double>(std::bit_cast<std::uint64_t>(component) ^ (1ULL << 44U));
}

}  // namespace

bool device::device_computes() { return !has_failed; }

system::State run::compute_block(engine::Engine& engine, std::int64_t steps) {
  const bool errs = is_to_err(engine.step());
  engine.advance(steps / 2);
  auto half_way = engine.owned_state();
  if (errs) err(half_way);
  engine.restore_state(half_way);
  engine.advance(steps - steps / 2);
  return engine.owned_state();
}

system::State ensemble::compute_replicas(replicas::ReplicaSet& set, std::int64_t steps) {
  const bool errs = is_to_err(set.step());
  set.advance(steps);
  auto states = set.states();
  if (errs) err(states);
  return states;
}

}  // namespace nfold
