// Random decisions outside the kernels, from the same numbers addressed by what they are for.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace nfold::replicas {

/// What an exchange of two states is decided by: the ladder it happens in, the lower state of the
/// pair, and how many exchanges that ladder attempted before.
struct ExchangeKey {
  std::uint64_t seed = 0;
  std::uint32_t ladder = 0, pair = 0;
  std::uint64_t attempt = 0;
};

/// Metropolis: always for a difference of reduced energies that is not positive, else with
/// probability exp(-difference). The same on every machine. A difference that is no number is
/// refused.
[[nodiscard]] bool accepts_exchange(const ExchangeKey& key, double difference);

}  // namespace nfold::replicas
