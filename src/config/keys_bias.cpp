// Keys of `bias`.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <string>

#include "config/key_makers.hpp"

namespace nfold::config {

using namespace makers;

namespace {

constexpr auto at = &Settings::bias;

/// "distance: that of two residues, to the nearest image."
std::string describe_variables() {
  std::string text;
  for (std::size_t k = 0; k < bias::variable_count; ++k) {
    bias::with_variable(static_cast<bias::VariableKind>(k), [&](auto one) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", one.name, one.about);
    });
  }
  return text + ".";
}

}  // namespace

std::vector<Key> makers::bias_keys() {
  static const std::string variables = describe_variables();
  return {
      Key{"bias.residues", text_list<at, &BiasSettings::residues>(), "", refuse,
          "Residues whose collective variable s is biased, by chain and the structure's numbers: "
          "[\"A:1\", \"A:76\"], [\"A:1-40\"] or [\"A\"] for a whole chain. Where there is one "
          "chain its name may be left out. Empty: no bias."},
      Key{"bias.variable", choice<at, &BiasSettings::variable>(bias::variable_names), "", refuse,
          variables},
      Key{"bias.form", choice<at, &BiasSettings::form>(bias::bias_form_names), "", refuse,
          "harmonic is (k/2)(s - centre)^2; flat-bottom is 0 within half_width of the centre and "
          "harmonic from there on; linear is a constant pull times s."},
      Key{"bias.centre_nm", real<at, &BiasSettings::centre_nm>(0, 1000), "nm", refuse,
          "Centre of a harmonic or flat-bottom bias."},
      Key{"bias.k_kj_mol_nm2", real<at, &BiasSettings::k_kj_mol_nm2>(0, 1e6), "kJ/mol/nm^2", refuse,
          "k of a harmonic or flat-bottom bias."},
      Key{"bias.half_width_nm", real<at, &BiasSettings::half_width_nm>(0, 1000), "nm", refuse,
          "How far from its centre a flat-bottom bias begins."},
      Key{"bias.pull_kj_mol_nm", real<at, &BiasSettings::pull_kj_mol_nm>(-1e4, 1e4), "kJ/mol/nm",
          refuse, "Of a linear bias: the force towards smaller s; below 0 towards larger s."},
  };
}

}  // namespace nfold::config
