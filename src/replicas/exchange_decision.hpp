// Decision on a replica exchange, from counter-based random numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace nfold::replicas {

/// Random-number key of a replica exchange: the ladder, the lower state of the pair, and the number
/// of exchanges that the ladder attempted before.
struct ExchangeKey {
  std::uint64_t seed = 0;
  std::uint32_t ladder = 0, pair = 0;
  std::uint64_t attempt = 0;
};

/// Metropolis criterion: accepts if the difference of reduced energies is not positive, otherwise
/// with probability exp(-difference). Same on every machine. Rejects NaN.
[[nodiscard]] bool accepts_exchange(const ExchangeKey& key, double difference);

}  // namespace nfold::replicas
