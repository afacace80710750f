// Choice of box and start by `nfold prepare`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace nfold::prepare {

/// Input of the choice.
struct BoxRequest {
  std::vector<double> box_nm;          ///< given edges: none, one or three
  double concentration_mg_per_ml = 0;  ///< given value; 0: none
  std::string start;                   ///< given start; empty: choose one
  bool is_condensate_model = false;
  long molecules = 0;     ///< total; 0: from a concentration, which needs the box
  long residues = 0;      ///< total
  int longest_chain = 0;  ///< number of residues
};

struct BoxChoice {
  std::vector<double> box_nm;  ///< empty: none, or from the concentration
  std::string start;           ///< empty: default of the input
  char slab_axis = 'z';
  std::vector<std::string> reasons;  ///< one line each
};

/// Chooses box and start. Throws InputError if there is no sensible choice.
[[nodiscard]] BoxChoice choose_box(const BoxRequest& question);

}  // namespace nfold::prepare
