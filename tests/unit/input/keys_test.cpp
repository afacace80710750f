// Table of keys: unique names, units by suffix, and search for the nearest key.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/keys.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "input/nearest.hpp"

namespace nfold::input {
namespace {

TEST(Keys, HaveUniqueNamesSectionsAndHelp) {
  std::set<std::string_view> names;
  for (const auto& key : all_keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    EXPECT_NE(find_section(section_name(key.name)), nullptr) << key.name;
    EXPECT_TRUE(key.help.ends_with('.')) << key.name;
  }
  for (const auto& section : all_sections()) {
    EXPECT_TRUE(names.insert(section.name).second) << section.name;
  }
  for (const auto& key : species_keys()) EXPECT_TRUE(key.help.ends_with('.')) << key.name;
  for (const auto& key : bias_entry_keys()) {
    EXPECT_NE(find_key("bias." + std::string(key.name)), nullptr) << key.name;
  }
}

TEST(Keys, UnitMatchesNameSuffix) {
  const std::pair<const char*, const char*> units[] = {{"_nm", "nm"},
                                                       {"_ps", "ps"},
                                                       {"_kelvin", "K"},
                                                       {"_amu", "amu"},
                                                       {"_per_ps", "1/ps"},
                                                       {"_steps", "steps"},
                                                       {"_minutes", "minutes"},
                                                       {"_seconds", "s"},
                                                       {"_kj_mol", "kJ/mol"},
                                                       {"_kj_mol_nm", "kJ/mol/nm"},
                                                       {"_kj_mol_nm2", "kJ/mol/nm^2"},
                                                       {"_per_nm", "1/nm"},
                                                       {"_molar", "mol/l"},
                                                       {"_millimolar", "mmol/l"},
                                                       {"_angstrom", "angstrom"},
                                                       {"_mg_per_ml", "mg/ml"},
                                                       {"_per_nm2", "epsilon/nm^2"},
                                                       {"_per_rad2", "epsilon/rad^2"}};
  int compared = 0;
  for (const auto& key : all_keys()) {
    const auto suffix = unit_suffix(key.name);
    bool is_known = suffix.empty();
    for (const auto& [ending, unit] : units) {
      if (suffix != ending) continue;
      EXPECT_EQ(key.unit, unit) << key.name;
      is_known = true;
      ++compared;
    }
    EXPECT_TRUE(is_known) << key.name;
  }
  EXPECT_GT(compared, 40);
}

TEST(Nearest, FindsIntendedKeysOnly) {
  EXPECT_EQ(nearest_key("dynamics", "sede"), "dynamics.seed");
  EXPECT_EQ(nearest_key("partition", "sede"), "partition.seed");
  EXPECT_EQ(nearest_key("dynamics", "timestep_fs"), "dynamics.time_step_ps");
  EXPECT_EQ(nearest_key("", "stpes"), "dynamics.steps");
  EXPECT_EQ(nearest_key("", "forcefield"), "force_field");
  EXPECT_EQ(nearest_key("", "dynmics.stpes"), "dynamics.steps");
  EXPECT_EQ(nearest_key("dynamics", "barostat"), "");
  EXPECT_EQ(nearest_key("", "system.species[0].sequence"), "");
  EXPECT_EQ(nearest_key("", std::string(100'000, 'x')), "");
}

}  // namespace
}  // namespace nfold::input
