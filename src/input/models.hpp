// Force field models that an input may name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace nfold::input {

/// Indices into `models`. All but go have their parameters in input/force_fields/NAME.yaml.
enum class ForceFieldModel { go, hps_kr, hps_urry, calvados2, calvados3, mpipi, kim_hummer };

struct ModelEntry {
  std::string_view name;
  std::string_view source;  ///< publication of the model
  double friction_per_ps;   ///< default friction of the Langevin thermostat
};
inline constexpr std::array models{
    ModelEntry{"go", "Clementi, Nymeyer and Onuchic, J. Mol. Biol. 298, 937 (2000)", 1},
    ModelEntry{"hps-kr", "Dignon et al., PLoS Comput. Biol. 14, e1005941 (2018)", 0.01},
    ModelEntry{"hps-urry", "Regy et al., Protein Sci. 30, 1371 (2021)", 0.01},
    ModelEntry{"calvados2", "Tesei and Lindorff-Larsen, Open Res. Europe 2, 94 (2022)", 0.01},
    ModelEntry{"calvados3", "Cao et al., Protein Sci. 33, e5172 (2024)", 0.01},
    ModelEntry{"mpipi", "Joseph et al., Nat. Comput. Sci. 1, 732 (2021)", 0.1},
    ModelEntry{"kim-hummer", "the KH-D of Dignon et al., PLoS Comput. Biol. 14, e1005941 (2018)",
               0.01},
};
static_assert(static_cast<std::size_t>(ForceFieldModel::kim_hummer) + 1 == models.size(),
              "the last name belongs to the last entry");

[[nodiscard]] constexpr const ModelEntry& model_entry(ForceFieldModel model) {
  return models.at(static_cast<std::size_t>(model));
}

/// Names in input files, in the order of `models`.
inline constexpr auto model_names = [] {
  std::array<std::string_view, models.size()> names;
  for (std::size_t k = 0; k < names.size(); ++k) names[k] = models[k].name;
  return names;
}();

}  // namespace nfold::input
