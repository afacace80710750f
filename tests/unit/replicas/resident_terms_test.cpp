// The resident form names what it computes; what it does not know is refused by name.
// SPDX-License-Identifier: BSD-3-Clause
#include "replicas/resident_terms.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/engines.hpp"
#include "support/systems.hpp"
#include "topology/flexible_angles.hpp"

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

TEST(ResidentTerms, RefusesATermThatItDoesNotKnowByItsName) {
  auto kinds = term_kinds(test::ubiquitin());
  for (const auto place : {ReplicaPlace::cpu, ReplicaPlace::gpu}) {
    EXPECT_EQ(kind_not_resident(kinds, place), "");
  }
  kinds.push_back({"three-body hydrogen bonds", 0});
  EXPECT_EQ(kind_not_resident(kinds, ReplicaPlace::cpu), "") << "there are none";
  kinds.back().count = 3;
  for (const auto place : {ReplicaPlace::cpu, ReplicaPlace::gpu}) {
    EXPECT_EQ(kind_not_resident(kinds, place), "there are three-body hydrogen bonds");
  }
  auto of_chains = term_kinds(chains(topology::ShortRangeForm::ashbaugh_hatch));
  EXPECT_EQ(kind_not_resident(of_chains, ReplicaPlace::gpu), "");
  of_chains.push_back({"an external field", 1});
  EXPECT_EQ(kind_not_resident(of_chains, ReplicaPlace::gpu), "there is an external field");
}

TEST(ResidentTerms, RefusesAPairPotentialThatItDoesNotKnow) {
  auto kinds = term_kinds(test::ubiquitin());
  std::erase_if(kinds, [](const TermKind& kind) { return kind.name == names::repulsion_12; });
  kinds.push_back({"a Stillinger-Weber potential", 1});
  EXPECT_NE(kind_not_resident(kinds, ReplicaPlace::cpu), "");
  EXPECT_NE(kind_not_resident(kinds, ReplicaPlace::gpu), "");
}

/// Each kind alone, beside what the form has: refused unless it is one of the list.
TEST(ResidentTerms, ComputesItsOwnKindsAlone) {
  const auto settings = test::settings_of_go();
  const auto why = [&](const topology::Topology& topology, ReplicaPlace place) {
    return why_not_resident(topology, settings, 1, {}, place);
  };
  auto go = test::ubiquitin();
  EXPECT_EQ(why(go, ReplicaPlace::cpu), "");
  EXPECT_EQ(why(go, ReplicaPlace::gpu), "");
  auto changed = go;
  changed.restraints.push_back(changed.bonds.front());
  EXPECT_EQ(why(changed, ReplicaPlace::cpu), "there are springs of elastic networks");
  changed = go;
  topology::add_flexible_angles(changed);
  EXPECT_EQ(why(changed, ReplicaPlace::gpu), "there are tabulated angles");
  changed = go;
  changed.electrostatics = {138, 1, 3, false};
  EXPECT_EQ(why(changed, ReplicaPlace::cpu), "there are charges beside a go model's terms");
  EXPECT_EQ(why(changed, ReplicaPlace::gpu), "there are charges beside a go model's terms");
  changed = go;
  changed.short_range.shifted = true;  // nobody shifts this repulsion: not to be left out silently
  EXPECT_NE(why(changed, ReplicaPlace::cpu), "");
  changed = go;
  changed.box.length_nm = {0, 0, 20};
  EXPECT_EQ(why(changed, ReplicaPlace::gpu), "there is a periodic box");

  for (const auto form :
       {topology::ShortRangeForm::ashbaugh_hatch, topology::ShortRangeForm::wang_frenkel}) {
    changed = chains(form);
    changed.electrostatics = {138, 1, 3, true};
    EXPECT_EQ(why(changed, ReplicaPlace::gpu), "");
    changed.angles = go.angles;
    EXPECT_EQ(why(changed, ReplicaPlace::gpu), "there are angles beside attraction by types");
    changed.angles.clear();
    changed.contacts_12_10 = go.contacts_12_10;
    EXPECT_EQ(why(changed, ReplicaPlace::gpu),
              "there are 12-10 contacts beside attraction by types");
  }
  EXPECT_EQ(why(chains(topology::ShortRangeForm::kim_hummer), ReplicaPlace::gpu),
            "there is a Kim-Hummer potential");
  EXPECT_EQ(why(chains(topology::ShortRangeForm::ashbaugh_hatch), ReplicaPlace::cpu),
            "there is an Ashbaugh-Hatch potential, on a CPU");
}

TEST(ResidentTerms, HoldsUmbrellasOnADistanceAlone) {
  const auto go = test::ubiquitin();
  const auto settings = test::settings_of_go();
  EXPECT_EQ(why_not_resident(go, settings, 1, bias::distance_of(0, 75)), "");
  EXPECT_EQ(why_not_resident(go, settings, 1, {bias::VariableKind::radius_of_gyration, {0, 1, 2}}),
            "umbrellas hold a radius-of-gyration");
  auto biased = go;
  topology::add_bias(biased, {bias::distance_of(0, 75), bias::BiasForm::linear, 0, 5});
  EXPECT_EQ(why_not_resident(biased, settings), "there are biases summed over residues");
}

TEST(ResidentTerms, RefusesSettingsThatItDoesNotKnow) {
  const auto go = test::ubiquitin();
  auto settings = test::settings_of_go();
  settings.precision = dynamics::Precision::full;
  EXPECT_EQ(why_not_resident(go, settings), "the precision is double");
  settings = test::settings_of_go();
  settings.integrator = dynamics::Integrator::velocity_verlet;
  EXPECT_EQ(why_not_resident(go, settings), "there is no bath");
}

/// A kind for each member that holds terms: filling it raises one count.
TEST(TermKinds, CountWhatATopologyHolds) {
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
