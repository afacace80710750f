// Short form of a force-field file: flat keys of one contact term and one Debye-Hueckel term.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "input/charge_reader.hpp"
#include "input/pair_term_reader.hpp"

namespace nfold::input {

struct ShortForm {
  std::optional<PairTermDraft> contact;
  ChargeDraft charges;
  ChainKind protein;
  Network network;
  double histidine_pka = 0;  ///< > 0: HIS carries 1/(1 + 10^(pH - pKa))
};

/// Reads the flat keys of a file that has the key `form`. has_cutoff: the input gives the cutoff of
/// the contact term.
[[nodiscard]] ShortForm read_short_form(Numbers& numbers, SectionKeys& file, bool has_cutoff);

}  // namespace nfold::input
