// Which box and which start `nfold prepare` takes, and why.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace nfold::prepare {

/// What the choice depends on.
struct BoxQuestion {
  std::vector<double> box_nm;          ///< as given: none, one edge or three
  double concentration_mg_per_ml = 0;  ///< as given; 0: none
  std::string start;                   ///< as given; empty: choose
  bool is_condensate_model = false;
  long molecules = 0;     ///< in all; 0: by a concentration, which needs the box
  long residues = 0;      ///< in all
  int longest_chain = 0;  ///< residues
  bool has_folded_parts = false;
};

struct BoxChoice {
  std::vector<double> box_nm;  ///< empty: none, or by the concentration
  std::string start;           ///< empty: the input's own default
  char slab_axis = 'z';
  std::vector<std::string> reasons;  ///< a line each
};

/// Throws InputError where nothing sensible can be chosen.
[[nodiscard]] BoxChoice choose_box(const BoxQuestion& question);

}  // namespace nfold::prepare
