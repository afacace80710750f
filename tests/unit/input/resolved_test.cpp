// Round trip of every key, comparison on resume, and ranges of values.
// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <type_traits>

#include "core/input_error.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"

namespace nfold::input {
namespace {

using testing::HasSubstr;

/// Sets a key to a random valid value over its whole range.
template <class Owner>
struct Draw {
  Owner& owner;
  std::mt19937_64& random;

  void operator()(const RealValueOf<Owner>& value) const {
    std::uniform_real_distribution<double> fraction(0.01, 1);
    value.set(owner, value.at_least + fraction(random) * (value.at_most - value.at_least));
  }
  void operator()(const RealListValueOf<Owner>& value) const {
    std::uniform_real_distribution<double> fraction(0.01, 1);
    std::vector<double> list(value.sizes.empty() ? 3 : value.sizes.back());
    for (double& x : list) x = value.at_least + fraction(random) * (value.at_most - value.at_least);
    value.set(owner, list);
  }
  void operator()(const IntegerValueOf<Owner>& value) const {
    std::uniform_int_distribution<std::uint64_t> number(value.at_least, value.at_most);
    value.set(owner, number(random));
  }
  void operator()(const IntegerListValueOf<Owner>& value) const {
    std::uniform_int_distribution<std::int64_t> number(static_cast<std::int64_t>(value.at_least),
                                                       static_cast<std::int64_t>(value.at_most));
    value.set(owner, {number(random), number(random), number(random)});
  }
  void operator()(const TextValueOf<Owner>& value) const {
    value.set(owner, value.without_blanks ? "MKV" : "a \"b\" \\ c: #d 'e'");
  }
  void operator()(const TextListValueOf<Owner>& value) const {
    value.set(owner, {"A", "B:10-50,60-72", "- x", "[y]", "\xC3\xA9"});
  }
  void operator()(const FlagValueOf<Owner>& value) const { value.set(owner, !value.get(owner)); }
  void operator()(const ChoiceValueOf<Owner>& value) const {
    value.set(owner, value.get(owner) + 1 == value.names.size() ? 0 : value.names.size() - 1);
  }
  template <class Entry>
  void operator()(const SectionListValue<Entry>& value) const {
    if constexpr (std::is_same_v<Owner, Settings>) {
      std::vector<Entry> list(3);
      for (auto& entry : list) {
        for (const auto& key : entry_keys<Entry>()) {
          std::visit(Draw<Entry>{entry, random}, key.value);
        }
      }
      value.set(owner, list);
    }
  }
};

/// Removes contradictions between drawn values.
void make_consistent(Settings& settings) {
  settings.dynamics.time_step_ps = std::min(settings.dynamics.time_step_ps, 1e-7);
  settings.force_field.mass_amu += 1;
  if (settings.output.trajectory_every_steps == 0) settings.output.dcd = false;
  settings.start.from = StartFrom::checkpoint;
  settings.start.checkpoint = "x.ckpt.h5";
  settings.start.conformation = Conformation::unfolded;
  settings.force_field.condensate.domains = FoldedDomains::elastic_network;
  settings.force_field.condensate.short_range_cutoff_nm = 0;
  settings.force_field.condensate.short_range_cutoff_over_sigma = 0;
  settings.more_biases.push_back(settings.bias);
  for (auto& bias : settings.more_biases) {
    bias.form = bias::BiasForm::flat_bottom;  // reads most keys
    bias.pull_kj_mol_nm = 0;
  }
  settings.bias = settings.more_biases.back();
  settings.ensemble.temperatures_kelvin.clear();
  settings.ensemble.contact_strengths.clear();
  settings.ensemble.umbrella_centres_nm.clear();
  settings.ensemble.ionic_strengths_molar.clear();
  settings.ensemble.temperatures = 0;  // an ensemble excludes many other keys
  settings.ensemble.trajectory_replicas.clear();
  settings.system.structure.clear();
  settings.system.concentration_mg_per_ml = 0;
  int number = 0;
  for (auto& species : settings.system.species) {
    species.name = "s" + std::to_string(++number);
    if (number != 1) species.sequence.clear();
    if (number != 2) species.fasta.clear(), species.record.clear();
    if (number != 3) {
      species.structure.clear(), species.chains.clear(), species.model = 1;
      species.gaps = Gaps::pieces;
    }
    species.start_x_nm.clear(), species.start_y_nm.clear(), species.start_z_nm.clear();
    if (number != 1) species.copies = 0;
    if (number != 2) species.concentration_mg_per_ml = 0;
    if (number != 3) species.concentration_millimolar = 0;
  }
}

TEST(ResolvedInput, RoundTripsBitForBit) {
  std::mt19937_64 random(7);
  for (int repetition = 0; repetition < 200; ++repetition) {
    Settings settings;
    for (const auto& key : all_keys()) std::visit(Draw<Settings>{settings, random}, key.value);
    make_consistent(settings);
    const Settings again = parse_input(write_input(settings), "resolved");
    for (const auto& key : all_keys()) {
      if (const auto* real = std::get_if<RealValueOf<Settings>>(&key.value)) {
        const double before = real->get(settings), now = real->get(again);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(before), std::bit_cast<std::uint64_t>(now))
            << key.name;
      }
    }
    EXPECT_TRUE(changed_keys(settings, again).empty());
    EXPECT_EQ(settings.system.species, again.system.species);
    EXPECT_EQ(settings.more_biases, again.more_biases);
    EXPECT_EQ(settings.system.box_nm, again.system.box_nm);
    EXPECT_EQ(write_input(again), write_input(settings));
  }
}

TEST(ResolvedInput, HoldsEveryKey) {
  Settings settings;
  settings.system.structure = "a.pdb";
  const std::string text = write_input(settings);
  for (const auto& key : all_keys()) {
    EXPECT_THAT(text, HasSubstr(std::string(last_part(key.name)) + ": "));
  }
  EXPECT_TRUE(changed_keys(settings, parse_input(text, "resolved")).empty());
}

TEST(ResolvedInput, HoldsValuesOfTheModel) {
  const auto settings = parse_input("system: {species: [{name: a, sequence: GG}]}\n", "in",
                                    {"dynamics.steps=1", "force_field.model=calvados3"});
  const std::string text = write_input(settings);
  EXPECT_THAT(text, HasSubstr("bond_k_kj_mol_nm2: 8033\n"));
  EXPECT_THAT(text, HasSubstr("electrostatic_cutoff_nm: 4\n"));
  EXPECT_THAT(text, HasSubstr("charged_ends: both\n"));
  EXPECT_TRUE(changed_keys(settings, parse_input(text, "resolved")).empty());
}

TEST(ChangedKeys, NamesKeyAndResumePermission) {
  const Settings before;
  std::mt19937_64 random(11);
  for (const auto& key : all_keys()) {
    const auto* choice = std::get_if<ChoiceValueOf<Settings>>(&key.value);
    if (choice != nullptr && choice->names.size() == 1) continue;
    Settings now;
    std::visit(Draw<Settings>{now, random}, key.value);
    const auto changed = changed_keys(before, now);
    ASSERT_EQ(changed.size(), 1U) << key.name;
    EXPECT_EQ(changed[0].key, key.name);
    EXPECT_EQ(changed[0].now, value_text(key, now));
    EXPECT_NE(changed[0].before, changed[0].now);
    const bool free = key.name.starts_with("output.") || key.name.starts_with("neighbour_list.") ||
                      key.name.starts_with("partition.") || key.name.starts_with("devices.") ||
                      key.name.starts_with("reliability.") || key.name == "dynamics.steps" ||
                      key.name == "ensemble.equilibration_steps" ||
                      key.name == "ensemble.trajectory_replicas" ||
                      key.name == "ensemble.folded_native_fraction" ||
                      key.name == "ensemble.unfolded_native_fraction";
    EXPECT_EQ(changed[0].allowed, free) << key.name;
  }
}

/// Values outside a range are refused. A closed bound is accepted, an open one refused.
TEST(Keys, AcceptValuesWithinBoundsOnly) {
  const auto accepts = [](const Key& key, const std::string& value) {
    std::vector<std::string> given{"system.structure=a.pdb", "dynamics.steps=1",
                                   "force_field.mass_amu=1e6", "dynamics.time_step_ps=1e-7",
                                   std::string(key.name) + "=" + value};
    if (key.name.starts_with("bias.")) {  // a form that reads the key
      const bool is_pull = key.name == "bias.pull_kj_mol_nm";
      given.emplace_back("bias.residues=[A]");
      given.emplace_back(is_pull ? "bias.form=linear" : "bias.form=flat-bottom");
    }
    try {
      (void)parse_input("", "in.yaml", given);
      return true;
    } catch (const core::InputError& error) {
      return error.problems().front().problem.find(key.name) == std::string::npos;
    }
  };
  for (const auto& key : all_keys()) {
    if (const auto* real = std::get_if<RealValueOf<Settings>>(&key.value)) {
      std::ostringstream low, above;
      low.precision(17), above.precision(17);
      low << real->at_least, above << std::nextafter(real->at_most, 1e300);
      EXPECT_EQ(accepts(key, low.str()), !real->above) << key.name;
      EXPECT_FALSE(accepts(key, above.str())) << key.name;
      EXPECT_EQ(accepts(key, "-1"), real->at_least <= -1) << key.name;
      EXPECT_FALSE(accepts(key, ".inf")) << key.name;
      EXPECT_FALSE(accepts(key, "nan")) << key.name;
    }
    if (const auto* whole = std::get_if<IntegerValueOf<Settings>>(&key.value)) {
      EXPECT_TRUE(accepts(key, std::to_string(whole->at_least))) << key.name;
      EXPECT_TRUE(accepts(key, std::to_string(whole->at_most))) << key.name;
      EXPECT_FALSE(accepts(key, "-1")) << key.name;
      EXPECT_FALSE(accepts(key, "1.5")) << key.name;
      const bool any = whole->at_most == std::numeric_limits<std::uint64_t>::max();
      const std::string beyond = any ? "18446744073709551616" : std::to_string(whole->at_most + 1);
      EXPECT_FALSE(accepts(key, beyond)) << key.name;
    }
  }
}

}  // namespace
}  // namespace nfold::input
