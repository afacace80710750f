// Ends of pair potentials in a force-field file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "input/force_field_numbers.hpp"

namespace nfold::input {

/// End of a pair potential at its cutoff.
struct Cutoff {
  double cutoff_nm = 0;
  double over_sigma = 0;  ///< > 0: a pair ends at this times its sigma, at most cutoff_nm
  double switch_nm = 0;   ///< begin of a switch
  pair_forms::CutoffForm form = pair_forms::CutoffForm::truncated;
};

/// Names of CutoffForm in files.
inline constexpr std::string_view cutoff_form_names[] = {"truncated", "shifted", "smooth-step",
                                                         "force-matched"};

/// Reads cutoff_nm, cutoff_form and switch_nm over those of `cutoff`. may_follow_sigma: cutoff_nm
/// may be N*sigma.
void read_cutoff(Numbers& numbers, SectionKeys& section, Cutoff& cutoff, bool may_follow_sigma);

/// Applies the option of an input, or completes it by the file's form, if that is one of its
/// values.
void apply_shift(ModelFlag& option, Cutoff& cutoff);

}  // namespace nfold::input
