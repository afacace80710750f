// Round trip of every key, comparison on resume, and ranges of values.
// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "core/input_error.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"

namespace nfold::input {
namespace {

using testing::HasSubstr;

using document::Value;

/// Draws a valid value of a rule over its whole range, other than `now` where it can.
struct Draw {
  const Value& now;
  std::mt19937_64& random;

  Value operator()(const document::RealRule& rule) const { return real(rule); }
  Value operator()(const document::RealListRule& rule) const {
    std::vector<double> list(rule.sizes.empty() ? 3 : rule.sizes.back());
    for (double& x : list) x = real(rule);
    return list;
  }
  Value operator()(const document::IntegerRule& rule) const {
    return std::uniform_int_distribution<std::uint64_t>(rule.at_least, rule.at_most)(random);
  }
  Value operator()(const document::IntegerListRule& rule) const {
    std::uniform_int_distribution<std::int64_t> number(static_cast<std::int64_t>(rule.at_least),
                                                       static_cast<std::int64_t>(rule.at_most));
    return std::vector<std::int64_t>{number(random), number(random), number(random)};
  }
  Value operator()(const document::TextRule& rule) const {
    return std::string(rule.without_blanks ? "MKV" : "a \"b\" \\ c: #d 'e'");
  }
  Value operator()(const document::TextListRule&) const {
    return std::vector<std::string>{"A", "B:10-50,60-72", "- x", "[y]", "\xC3\xA9"};
  }
  Value operator()(const document::FlagRule&) const { return !std::get<bool>(now); }
  Value operator()(const document::ChoiceRule& rule) const {
    const std::uint64_t last = rule.names.size() - 1;
    return std::get<std::uint64_t>(now) == last ? std::uint64_t{0} : last;
  }
  Value operator()(const document::SectionListRule&) const { return now; }

 private:
  template <class Rule>
  double real(const Rule& rule) const {
    std::uniform_real_distribution<double> fraction(0.01, 1);
    return rule.at_least + fraction(random) * (rule.at_most - rule.at_least);
  }
};

/// Sets a key to a random value.
template <class Owner>
void draw(const document::KeyOf<Owner>& key, Owner& owner, std::mt19937_64& random) {
  const Value now = key.field.get(owner);
  key.field.set(owner, std::visit(Draw{now, random}, key.field.rule));
}
void draw(const Key& key, Settings& settings, std::mt19937_64& random) {
  if (!is_section_list(key)) {
    draw<Settings>(key, settings, random);
    return;
  }
  with_entries(key, settings, [&random]<class Entry>(std::vector<Entry>& list) {
    list.assign(3, {});
    for (auto& entry : list) {
      for (const auto& inner : entry_keys<Entry>()) draw(inner, entry, random);
    }
  });
}

/// Removes contradictions between drawn values.
void make_consistent(Settings& settings) {
  settings.dynamics.time_step_ps = std::min(settings.dynamics.time_step_ps, 1e-7);
  settings.force_field.mass_amu += 1;
  if (settings.output.trajectory_every_steps == 0) settings.output.dcd = false;
  settings.devices.memory_pool_mb = 0;  // a pool may not exceed the limit
  settings.start.from = StartFrom::checkpoint;
  settings.start.checkpoint = "x.ckpt.h5";
  settings.start.coordinates.clear();
  settings.start.frame = "last";
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
  settings.system.confidence.clear();
  settings.system.mutations.clear();
  settings.system.concentration_mg_per_ml = 0;
  int number = 0;
  for (auto& species : settings.system.species) {
    species.name = "s" + std::to_string(++number);
    if (number != 1) species.sequence.clear();
    if (number != 2) species.fasta.clear(), species.record.clear();
    species.molecule.clear();
    if (number != 3) {
      species.confidence.clear(), species.domains_between_chains = false;
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
    for (const auto& key : all_keys()) draw(key, settings, random);
    make_consistent(settings);
    const Settings again = parse_input(write_input(settings), "resolved");
    for (const auto& key : all_keys()) {
      if (std::holds_alternative<document::RealRule>(key.field.rule)) {
        const auto before = std::get<double>(key.field.get(settings));
        const auto now = std::get<double>(key.field.get(again));
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
    const auto* choice = std::get_if<document::ChoiceRule>(&key.field.rule);
    if (choice != nullptr && choice->names.size() == 1) continue;
    Settings now;
    draw(key, now, random);
    const auto changed = changed_keys(before, now);
    ASSERT_EQ(changed.size(), 1U) << key.name;
    EXPECT_EQ(changed[0].key, key.name);
    EXPECT_EQ(changed[0].now, value_text(key, now));
    EXPECT_NE(changed[0].before, changed[0].now);
    const bool free = key.name.starts_with("output.") || key.name.starts_with("neighbour_list.") ||
                      key.name.starts_with("partition.") || key.name.starts_with("devices.") ||
                      key.name.starts_with("reliability.") || key.name == "dynamics.steps" ||
                      key.name == "ensemble.equilibration_steps" ||
                      key.name == "ensemble.rg_error" || key.name == "observables.dilute_error" ||
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
    if (const auto* real = std::get_if<document::RealRule>(&key.field.rule)) {
      std::ostringstream low, above;
      low.precision(17), above.precision(17);
      low << real->at_least, above << std::nextafter(real->at_most, 1e300);
      EXPECT_EQ(accepts(key, low.str()), !real->above) << key.name;
      EXPECT_FALSE(accepts(key, above.str())) << key.name;
      EXPECT_EQ(accepts(key, "-1"), real->at_least <= -1) << key.name;
      EXPECT_FALSE(accepts(key, ".inf")) << key.name;
      EXPECT_FALSE(accepts(key, "nan")) << key.name;
    }
    if (const auto* whole = std::get_if<document::IntegerRule>(&key.field.rule)) {
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
