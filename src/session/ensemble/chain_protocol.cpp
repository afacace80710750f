// Replicas, samples and steps by the length of the chain.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/chain_protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace nfold::ensemble {
namespace {

constexpr std::int64_t chain_step_unit = 500, most_chain_samples = 8000;

/// A long chain needs more steps, each of which takes longer: more replicas share them.
std::int64_t chain_replicas(std::int64_t residues) {
  constexpr std::int64_t fewest = 16;  // Their spread alone gives an error.
  return residues <= 200 ? fewest : (residues <= 400 ? 2 * fewest : 4 * fewest);
}

std::int64_t chain_sample_steps(std::int64_t residues) {
  const auto n = static_cast<double>(residues);
  const auto units = static_cast<std::int64_t>(std::ceil(0.3 * n * n / chain_step_unit));
  return chain_step_unit * std::max<std::int64_t>(1, units);
}

}  // namespace

std::vector<std::string> chain_protocol(std::int64_t residues) {
  const auto every = chain_sample_steps(residues), replicas = chain_replicas(residues);
  return {fmt::format("dynamics.steps={}", most_chain_samples / replicas * every),
          "ensemble.temperatures=1",
          fmt::format("ensemble.ladders={}", replicas),
          "ensemble.exchange_every_steps=0",
          fmt::format("ensemble.sample_every_steps={}", every),
          "ensemble.rg_error=0.01",
          "ensemble.analysis.contacts=false",
          "ensemble.analysis.radius_of_gyration=false",
          "ensemble.analysis.chain=true"};
}

}  // namespace nfold::ensemble
