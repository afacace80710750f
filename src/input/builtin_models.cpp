// Built-in parameter tables, parsed at first use.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <map>
#include <string>

#include "input/residue_table.hpp"

namespace nfold::input {

const ResidueTable& builtin_table(ForceFieldModel model) {
  static const std::map<ForceFieldModel, ResidueTable> tables = [] {
    std::map<ForceFieldModel, ResidueTable> all;
    for (std::size_t k = 0; k < models.size(); ++k) {
      const auto one = static_cast<ForceFieldModel>(k);
      if (one == ForceFieldModel::go) continue;
      const std::string file = fmt::format("built-in table of {}", models[k].name);
      all.emplace(one, parse_residue_table(builtin_table_text(one), file));
    }
    return all;
  }();
  return tables.at(model);
}

}  // namespace nfold::input
