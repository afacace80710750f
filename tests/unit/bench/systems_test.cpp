// Systems of the suite: density, charges, chains and reproducibility.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/bench/systems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "core/input_error.hpp"
#include "input/input.hpp"
#include "model/structure/fasta.hpp"
#include "session/setup/species_setup.hpp"

namespace nfold::bench {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

const std::string input_folder = NFOLD_INPUT;

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string chain_sequence(const topology::Topology& topology, const topology::Chain& chain) {
  std::string names;
  for (int id = chain.first; id < chain.first + chain.count; ++id) {
    names += topology.residues[static_cast<std::size_t>(id)].name.view();
  }
  return names;
}

double residues_per_nm3(const topology::Topology& topology) {
  return topology.residue_count() / topology.box.volume_nm3();
}

TEST(BenchCondensate, HasSpecifiedComposition) {
  const auto t = condensate_topology(10'000, 5);
  EXPECT_EQ(t.residue_count(), 10'000);
  EXPECT_NEAR(residues_per_nm3(t), 2, 1e-9);
  EXPECT_EQ(t.chains.size(), 67U);
  for (std::size_t c = 0; c + 1 < t.chains.size(); ++c) EXPECT_EQ(t.chains[c].count, 150);
  EXPECT_EQ(t.chains.back().count, 100);
  EXPECT_EQ(t.bonds.size(), 10'000U - 67U);
  // A quarter of the residues is charged, within three standard deviations of 10,000 draws.
  const auto charged = std::count_if(t.residues.begin(), t.residues.end(),
                                     [](const auto& r) { return r.charge_e != 0; });
  EXPECT_NEAR(static_cast<double>(charged), 2500, 3 * 43.3);
  std::set<int> types, charged_types;
  for (const auto& r : t.residues) {
    types.insert(r.type);
    if (r.charge_e != 0) charged_types.insert(r.type);
  }
  EXPECT_EQ(types.size(), 20U);
  EXPECT_EQ(charged_types.size(), 5U);
}

TEST(BenchCondensate, HasSpecifiedPotentials) {
  const auto t = condensate_topology(300, 5);
  const auto& pairs = t.short_range;
  EXPECT_EQ(pairs.form, topology::ShortRangeForm::ashbaugh_hatch);
  EXPECT_EQ(pairs.cutoff_nm, 2.0);
  EXPECT_TRUE(pairs.shifted);
  EXPECT_THAT(pairs.type_sigma_nm,
              testing::Each(testing::AllOf(testing::Ge(0.45), testing::Le(0.68))));
  EXPECT_THAT(pairs.type_lambda, testing::Each(testing::AllOf(testing::Ge(0.0), testing::Le(1.0))));
  EXPECT_GT(*std::max_element(pairs.type_lambda.begin(), pairs.type_lambda.end()), 0.8);
  EXPECT_LT(*std::min_element(pairs.type_lambda.begin(), pairs.type_lambda.end()), 0.1);
  EXPECT_EQ(t.electrostatics.cutoff_nm, 4.0);
  EXPECT_TRUE(t.electrostatics.acts());
  const auto settings = condensate_system("condensate-300", 300).settings({});
  EXPECT_EQ(settings.dynamics.temperature_kelvin, 300);
  EXPECT_EQ(settings.dynamics.time_step_ps, 0.01);
  EXPECT_EQ(settings.dynamics.friction_per_ps, 0.01);
}

TEST(BenchCondensate, IsReproducibleFromSeed) {
  const auto one = condensate_topology(450, 5);
  EXPECT_EQ(topology::hash_topology(one), topology::hash_topology(condensate_topology(450, 5)));
  EXPECT_NE(topology::hash_topology(one), topology::hash_topology(condensate_topology(450, 6)));
  EXPECT_NE(chain_sequence(one, one.chains[0]), chain_sequence(one, one.chains[1]));
}

TEST(BenchCondensate, StartIsReproducible) {
  const auto system = condensate_system("condensate-3000", 3000);
  const auto one = system.build(system.settings({})), other = system.build(system.settings({}));
  EXPECT_EQ(one.start.position, other.start.position);
  EXPECT_EQ(one.start.position.size(), 3000U);
  EXPECT_NE(one.start.position, system.build(system.settings({"dynamics.seed=2"})).start.position);
}

class BenchDroplets : public testing::Test {
 protected:
  static constexpr int chains = 21;
  static constexpr std::size_t residues = 154;
  const BenchSystem system_ = droplets_system("droplets-3k", {chains, 2, 0.04});
  const input::Settings settings_ = system_.settings({});
  const BuiltSystem built_ = system_.build(settings_);
};

TEST_F(BenchDroplets, AreTdp43) {
  const auto& t = built_.topology;
  EXPECT_EQ(system_.residues, 21 * 154);
  EXPECT_EQ(t.residue_count(), 21 * 154);
  EXPECT_EQ(t.chains.size(), 21U);
  const auto records =
      structure::parse_fasta(read_text(input_folder + "/sequences.fasta"), "sequences.fasta");
  std::string expected;
  for (const char letter : structure::find_record(records, "TDP43-CTD", "").sequence) {
    expected += structure::to_residue_name(letter);
  }
  for (const auto& chain : t.chains) EXPECT_EQ(chain_sequence(t, chain), expected);
  EXPECT_EQ(t.short_range.cutoff_nm, 2.0);
  EXPECT_EQ(t.electrostatics.cutoff_nm, 3.5);
  EXPECT_NEAR(residues_per_nm3(t) / 2, 0.04, 1e-6);
}

TEST_F(BenchDroplets, AreDenseAndSeparated) {
  const auto& box = built_.topology.box;
  const auto position = [&](std::size_t id) {
    return system::position_nm(box, built_.start.position[id]);
  };
  const auto distance = [&](std::size_t i, std::size_t j) {
    double squared = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double d = box.nearest_nm(k, position(i)[k] - position(j)[k]);
      squared += d * d;
    }
    return std::sqrt(squared);
  };
  // The droplets have ten and eleven chains; a sphere of 11 * 154 / 2 nm^3 has a radius of 5.87 nm.
  const std::size_t border = 10 * residues, all = chains * residues;
  double widest = 0, nearest = 1000;
  for (std::size_t i = 0; i < all; i += 3) {
    for (std::size_t j = i + 1; j < all; j += 3) {
      const double d = distance(i, j);
      const bool same = (i < border) == (j < border);
      (same ? widest : nearest) = same ? std::max(widest, d) : std::min(nearest, d);
    }
  }
  EXPECT_LT(widest, 2 * 5.88);
  EXPECT_GT(widest, 9);
  EXPECT_GT(nearest, 4);
}

TEST_F(BenchDroplets, AreReproducibleFromSeed) {
  EXPECT_EQ(system_.build(settings_).start.position, built_.start.position);
  EXPECT_NE(system_.build(system_.settings({"dynamics.seed=9"})).start.position,
            built_.start.position);
}

TEST(BenchDropletsBox, RefusesOverlappingDroplets) {
  const auto system = droplets_system("full", {21, 3, 0.5});
  EXPECT_THAT([&] { (void)system.build(system.settings({})); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("do not fit")));
}

TEST(BenchGo, MatchesExampleInput) {
  const std::string file = input_folder + "/go-ubq.yaml";
  const auto example = input::parse_input(read_text(file), file);
  const auto expected = setup::build_system(comm::Communicator(), example, file).topology;
  const auto system = go_system("go-ubq", {0.8, 1, 0});
  const auto settings = system.settings({});
  const auto built = system.build(settings);
  EXPECT_EQ(topology::hash_topology(built.topology), topology::hash_topology(expected));
  EXPECT_EQ(built.topology.contacts_12_10.size(), 190U);
  EXPECT_EQ(settings.dynamics.time_step_ps, example.dynamics.time_step_ps);
  EXPECT_EQ(settings.dynamics.temperature_kelvin, example.dynamics.temperature_kelvin);
  EXPECT_EQ(settings.dynamics.friction_per_ps, example.dynamics.friction_per_ps);
}

TEST(BenchGo, CopiesShareOneBox) {
  const auto system = go_system("go-10k", {0.8, 132, 24});
  const auto built = system.build(system.settings({}));
  EXPECT_EQ(system.residues, 10'032);
  EXPECT_EQ(built.topology.residue_count(), 10'032);
  EXPECT_EQ(built.topology.contacts_12_10.size(), 132U * 190U);
  EXPECT_EQ(built.topology.box.length_nm, (std::array<double, 3>{24, 24, 24}));
  EXPECT_EQ(built.topology.short_range.cutoff_nm, 0.8);
  EXPECT_EQ(built.start.position.size(), 10'032U);
}

TEST(BenchGo, BuildsLargerProtein) {
  const auto system = go_system("go-300-1000", {0.8, 1, 0, 1000, GoProtein::gbeta_300});
  const auto built = system.build(system.settings({}));
  EXPECT_EQ(system.residues, 300);
  EXPECT_EQ(built.topology.residue_count(), 300);
  EXPECT_EQ(built.topology.contacts_12_10.size(), 1154U);
  EXPECT_THAT(system.description, HasSubstr("1154 contacts"));
}

TEST(BenchSettings, AcceptEngineKeys) {
  const auto system = go_system("go-ubq", {0.8, 1, 0});
  const auto settings =
      system.settings({"dynamics.precision=double", "neighbour_list.skin_nm=0.4"});
  EXPECT_EQ(settings.dynamics.precision, system::Precision::full);
  EXPECT_EQ(settings.neighbour_list.skin_nm, 0.4);
}

TEST(BenchSettings, RefuseKeysOfSystem) {
  const auto system = go_system("go-ubq", {0.8, 1, 0});
  EXPECT_THAT([&] { (void)system.settings({"system.copies=2"}); },
              ThrowsMessage<core::InputError>(HasSubstr("the systems of the suite are fixed")));
  EXPECT_THAT([&] { (void)system.settings({"dynamics.precison=double"}); },
              ThrowsMessage<core::InputError>(HasSubstr("dynamics.precision")));
}

TEST(BenchFolded, NetworkHoldsEachCopy) {
  constexpr int copies = 3;
  const auto system = folded_system("folded", {"calvados3", copies});
  const auto built = system.build(system.settings({}));
  EXPECT_EQ(built.topology.residue_count(), system.residues);
  EXPECT_EQ(built.start.position.size(), static_cast<std::size_t>(system.residues));
  EXPECT_NEAR(residues_per_nm3(built.topology), 0.3, 1e-6);
  EXPECT_GT(built.topology.restraints.size(), 200U * copies);
}

}  // namespace
}  // namespace nfold::bench
