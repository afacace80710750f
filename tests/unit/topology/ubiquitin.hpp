// Ubiquitin's structure, for tests of models.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/structure/structure.hpp"

namespace nfold::topology {

inline structure::Structure ubiquitin() {
  return structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
}

}  // namespace nfold::topology
