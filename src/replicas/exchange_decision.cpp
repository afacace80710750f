// Metropolis criterion with Philox random numbers and a portable logarithm.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/exchange_decision.hpp"

#include "kernels/arithmetic/philox.hpp"

namespace nfold::replicas {

bool accepts_exchange(const ExchangeKey& key, double difference) {
  if (difference <= 0) return true;
  const auto words = kernels::random_words(key.seed, kernels::RandomStream::exchange, key.ladder,
                                           key.pair, key.attempt, 0);
  return kernels::natural_log(kernels::uniform<double>(words.w0)) < -difference;
}

}  // namespace nfold::replicas
