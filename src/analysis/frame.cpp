// Saving and restoring of an accumulator.
// SPDX-License-Identifier: BSD-3-Clause

#include "analysis/frame.hpp"

#include <algorithm>

namespace nfold::analysis {

std::vector<std::int64_t> Accumulator::saved() const {
  WordWriter parameters, all;
  save_parameters(parameters);
  all.put_all(parameters.words());
  save_sums(all);
  return all.words();
}

bool Accumulator::restore(std::span<const std::int64_t> words) {
  WordWriter wanted;
  save_parameters(wanted);
  WordReader from(words);
  const auto count = wanted.words().size();
  if (words.size() < count + 1 || words[0] != static_cast<std::int64_t>(count) ||
      !std::ranges::equal(words.subspan(1, count), wanted.words())) {
    return false;
  }
  (void)from.get_all();
  restore_sums(from);
  return true;
}

}  // namespace nfold::analysis
