// The built-in tables, parsed when first asked for.
// SPDX-License-Identifier: BSD-3-Clause

#include <array>
#include <map>

#include "config/residue_table.hpp"

namespace nfold::config {

const ResidueTable& builtin_table(ForceFieldModel model) {
  static const std::map<ForceFieldModel, ResidueTable> tables = [] {
    std::map<ForceFieldModel, ResidueTable> all;
    for (const auto one :
         {ForceFieldModel::hps_kr, ForceFieldModel::hps_urry, ForceFieldModel::calvados2,
          ForceFieldModel::calvados3, ForceFieldModel::mpipi}) {
      all.emplace(one, parse_residue_table(builtin_table_text(one), "built-in table"));
    }
    return all;
  }();
  return tables.at(model);
}

}  // namespace nfold::config
