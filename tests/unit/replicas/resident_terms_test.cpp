// Terms that the resident form supports, and refusal of others by name.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/resident_terms.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/topology/flexible_angles.hpp"
#include "support/engines.hpp"
#include "support/systems.hpp"
#include "support/tabulated_condensates.hpp"

namespace nfold::replicas {
namespace {

namespace names = topology::term_names;
using topology::TermKind;

topology::Topology chains(topology::ShortRangeForm form) {
  auto topology = test::ubiquitin();
  topology.contacts_12_10.clear();
  topology.contacts_gaussian.clear();
  topology.angles.clear();
  topology.dihedrals.clear();
  topology.short_range.form = form;
  return topology;
}

TEST(ResidentTerms, RefusesUnknownTermsByName) {
  auto kinds = term_kinds(test::ubiquitin());
  EXPECT_EQ(unsupported_kind(kinds), "");
  kinds.push_back({"three-body hydrogen bonds", 0});
  EXPECT_EQ(unsupported_kind(kinds), "") << "there are none";
  kinds.back().count = 3;
  EXPECT_EQ(unsupported_kind(kinds), "there are three-body hydrogen bonds");
  auto chain_kinds = term_kinds(chains(topology::ShortRangeForm::ashbaugh_hatch));
  EXPECT_EQ(unsupported_kind(chain_kinds), "");
  chain_kinds.push_back({"an external field", 1});
  EXPECT_EQ(unsupported_kind(chain_kinds), "there is an external field");
}

TEST(ResidentTerms, RefusesUnknownPairPotentials) {
  auto kinds = term_kinds(test::ubiquitin());
  std::erase_if(kinds, [](const TermKind& kind) { return kind.name == names::repulsion_12; });
  kinds.push_back({"a Stillinger-Weber potential", 1});
  EXPECT_NE(unsupported_kind(kinds), "");
}

/// Adds each kind alone to a supported system.
TEST(ResidentTerms, RefusesEachUnsupportedKind) {
  const auto settings = test::settings_of_go();
  const auto obstacle = [&](const topology::Topology& topology) {
    return resident_obstacle(topology, settings);
  };
  auto go = test::ubiquitin();
  EXPECT_EQ(obstacle(go), "");
  auto changed = go;
  changed.restraints.push_back(changed.bonds.front());
  EXPECT_EQ(obstacle(changed), "there are springs of elastic networks");
  changed = go;
  topology::add_flexible_angles(changed);
  EXPECT_EQ(obstacle(changed), "there are tabulated angles");
  changed = go;
  changed.local_wells.push_back({0, 2, 0.6, 5, 0.015, 0});
  EXPECT_EQ(obstacle(changed), "there are local wells");
  changed = go;
  changed.flexible_dihedrals.push_back({0, 1, 2, 3, {}});
  EXPECT_EQ(obstacle(changed), "there are flexible dihedrals");
  changed = go;
  changed.local_pairs.push_back({0, 9, 0.4, 1, 1});
  EXPECT_EQ(obstacle(changed), "there are local pairs");
  changed = go;
  changed.electrostatics = {138, 1, 3, false};
  EXPECT_EQ(obstacle(changed), "there are charges beside a go model's terms");
  changed = go;
  changed.short_range.shifted = true;  // an unsupported shift must not be ignored
  EXPECT_NE(obstacle(changed), "");
  changed = go;
  changed.box.length_nm = {0, 0, 20};
  EXPECT_EQ(obstacle(changed), "there is a periodic box");

  for (const auto form :
       {topology::ShortRangeForm::ashbaugh_hatch, topology::ShortRangeForm::wang_frenkel}) {
    changed = chains(form);
    changed.electrostatics = {138, 1, 3, true};
    EXPECT_EQ(obstacle(changed), "");
    changed.angles = go.angles;
    EXPECT_EQ(obstacle(changed), "there are angles beside attraction by types");
    changed.angles.clear();
    changed.contacts_12_10 = go.contacts_12_10;
    EXPECT_EQ(obstacle(changed), "there are 12-10 contacts beside attraction by types");
  }
  EXPECT_EQ(obstacle(chains(topology::ShortRangeForm::kim_hummer)),
            "there is a Kim-Hummer potential");
  EXPECT_EQ(obstacle(test::tabulated(chains(topology::ShortRangeForm::ashbaugh_hatch),
                                     test::TabulatedPairKind::sites)),
            "there is a tabulated short-range potential");
}

TEST(ResidentTerms, SupportsDistanceUmbrellasOnly) {
  const auto go = test::ubiquitin();
  const auto settings = test::settings_of_go();
  EXPECT_EQ(resident_obstacle(go, settings, 1, bias::distance_between(0, 75)), "");
  EXPECT_EQ(resident_obstacle(go, settings, 1, {bias::VariableKind::radius_of_gyration, {0, 1, 2}}),
            "umbrellas hold a radius-of-gyration");
  auto biased = go;
  topology::add_bias(biased, {bias::distance_between(0, 75), bias::BiasForm::linear, 0, 5});
  EXPECT_EQ(resident_obstacle(biased, settings), "there are biases summed over residues");
}

TEST(ResidentTerms, RefusesUnsupportedSettings) {
  const auto go = test::ubiquitin();
  auto settings = test::settings_of_go();
  settings.precision = engine::Precision::full;
  EXPECT_EQ(resident_obstacle(go, settings), "the precision is double");
  settings = test::settings_of_go();
  settings.integrator = engine::Integrator::velocity_verlet;
  EXPECT_EQ(resident_obstacle(go, settings), "there is no thermostat");
}

/// Each member of a topology that holds terms has one kind.
TEST(TermKinds, CountTermsOfATopology) {
  const auto go = test::ubiquitin();
  const auto count = [](const topology::Topology& topology, std::string_view name) {
    for (const auto& kind : term_kinds(topology)) {
      if (kind.name == name) return kind.count;
    }
    return std::int64_t{-1};
  };
  EXPECT_EQ(count(go, names::bonds), std::ssize(go.bonds));
  EXPECT_EQ(count(go, names::angles), std::ssize(go.angles));
  EXPECT_EQ(count(go, names::dihedrals), std::ssize(go.dihedrals));
  EXPECT_EQ(count(go, names::contacts_12_10) + count(go, names::contacts_gaussian),
            go.contact_count());
  EXPECT_EQ(count(go, names::repulsion_12), 1);
  EXPECT_EQ(count(go, names::periodic_box), 0);
  EXPECT_EQ(count(go, names::restraints), 0);
  EXPECT_EQ(count(go, names::charges), 0);
}

}  // namespace
}  // namespace nfold::replicas
