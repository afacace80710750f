// Keys of `bias`.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <string>

#include "input/key_makers.hpp"

namespace nfold::input {

using namespace makers;

namespace {

/// Returns a line such as "distance: that of two residues, to the nearest image".
std::string describe_variables() {
  std::string text;
  for (std::size_t k = 0; k < bias::variable_count; ++k) {
    bias::with_variable(static_cast<bias::VariableKind>(k), [&](auto one) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", one.name, one.about);
    });
  }
  return text + ".";
}

/// Returns the keys of one bias. `at` is the path to the bias in Settings, or empty if the owner is
/// the bias itself.
template <auto... at>
auto bias_keys_at() {
  static const std::string variables = describe_variables();
  using One = BiasSettings;
  return std::vector<document::KeyOf<OwnerOf<at..., &One::residues>>>{
      {"bias.residues", text_list<at..., &One::residues>(), "", refuse,
       "Residues whose collective variable s is biased, by chain and the structure's numbers: "
       "[\"A:1\", \"A:76\"], [\"A:1-40\"] or [\"A\"] for a whole chain. Where there is one chain "
       "its name may be left out. Empty: no bias."},
      {"bias.variable", choice<at..., &One::variable>(bias::variable_names), "", refuse, variables},
      {"bias.form", choice<at..., &One::form>(bias::bias_form_names), "", refuse,
       "harmonic is (k/2)(s - centre)^2; flat-bottom is 0 within half_width of the centre and "
       "harmonic from there on; linear is a constant pull times s."},
      {"bias.centre_nm", real<at..., &One::centre_nm>(0, 1000), "nm", refuse,
       "Centre of a harmonic or flat-bottom bias."},
      {"bias.k_kj_mol_nm2", real<at..., &One::k_kj_mol_nm2>(0, 1e6), "kJ/mol/nm^2", refuse,
       "k of a harmonic or flat-bottom bias."},
      {"bias.half_width_nm", real<at..., &One::half_width_nm>(0, 1000), "nm", refuse,
       "How far from its centre a flat-bottom bias begins."},
      {"bias.pull_kj_mol_nm", real<at..., &One::pull_kj_mol_nm>(-1e4, 1e4), "kJ/mol/nm", refuse,
       "Of a linear bias: the force towards smaller s; below 0 towards larger s."},
  };
}

}  // namespace

std::vector<Key> makers::bias_keys() {
  auto keys = bias_keys_at<&Settings::bias>();
  keys.push_back(
      {"bias.more",
       {document::SectionListRule{"biases"}, nullptr, nullptr},
       "",
       refuse,
       "What follows the first where `bias` is a list: further biases, each with the keys above."});
  return keys;
}

std::span<const BiasKey> bias_entry_keys() {
  static const auto keys = [] {
    auto all = bias_keys_at<>();
    for (auto& key : all) key.name = last_part(key.name);
    all.front().required = true;
    return all;
  }();
  return keys;
}

std::vector<BiasSettings> all_biases(const Settings& settings) {
  if (settings.bias.residues.empty()) return {};
  auto all = settings.more_biases;
  all.insert(all.begin(), settings.bias);
  return all;
}

}  // namespace nfold::input
