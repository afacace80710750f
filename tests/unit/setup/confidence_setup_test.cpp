// Predicted structures in an input: confidence, domains, weighted contacts and the record of a run.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/input_error.hpp"
#include "input/input.hpp"
#include "session/setup/confidence_record.hpp"
#include "session/setup/species_setup.hpp"

namespace nfold::setup {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SystemSetup build(const std::string& text) {
  const std::string input = NFOLD_INPUT "/test.yaml";
  return build_system(comm::Communicator(), input::parse_input(text, input), input);
}

std::string lysozyme(const std::string& keys, const std::string& force_field = "") {
  return "system: {species: [{name: lysozyme, structure: alphafold/AF-P00698.pdb.gz" + keys +
         "}]}\nforce_field: {model: calvados3" + force_field + "}\ndynamics: {steps: 1}\n";
}

const std::string with_pae = ", confidence: alphafold/AF-P00698.json.gz";

TEST(ConfidenceSetup, DomainsFollowFromPae) {
  const auto system = build(lysozyme(with_pae + ", domains: auto"));
  EXPECT_THAT(system.notes, Contains(HasSubstr("predicted model: 'ALPHAFOLD MONOMER V2.0")));
  EXPECT_THAT(system.notes, Contains(HasSubstr("mean 93.9, 16 of 147 residues below 70")));
  const auto& residues = system.topology.residues;
  EXPECT_EQ(residues[16].domain, -1);
  EXPECT_EQ(residues[17].domain, 0);
  EXPECT_EQ(residues[146].domain, 0);
  for (const auto& spring : system.topology.restraints) EXPECT_GE(std::min(spring.i, spring.j), 17);
}

TEST(ConfidenceSetup, RecordHasPaeAndDomains) {
  const auto system = build(lysozyme(with_pae + ", domains: auto"));
  ASSERT_EQ(system.confidence.size(), 1U);
  const auto json = nlohmann::json::parse(to_json(system.confidence)).at("species").at(0);
  EXPECT_EQ(json.at("name"), "lysozyme");
  EXPECT_EQ(json.at("chains"), std::vector<std::string>{"A"});
  EXPECT_EQ(json.at("chain_sizes"), std::vector<int>{147});
  EXPECT_EQ(json.at("domains").at(17), 1);
  EXPECT_EQ(json.at("block_residues"), 1);
  EXPECT_EQ(json.at("pae_angstrom").size(), 147U);
  EXPECT_EQ(json.at("pae_angstrom").at(0).at(1), 1);
  EXPECT_EQ(json.at("plddt").at(0), 47.6);
}

TEST(ConfidenceSetup, RecordOfLargeModelHasBlocks) {
  structure::Structure molecule;
  molecule.chains.push_back({"A", std::vector<structure::Residue>(1001)});
  molecule.confidence.plddt.assign(1001, 80);
  molecule.confidence.pae_angstrom.assign(1001 * 1001, 4);
  molecule.confidence.pae_angstrom[0] = 13;  // one of nine in its block
  const auto record = make_confidence_record("large", molecule, {});
  EXPECT_EQ(record.block_residues, 3);
  ASSERT_EQ(record.pae_angstrom.size(), 334U * 334U);
  EXPECT_NEAR(record.pae_angstrom.front(), 5, 1e-12);
  EXPECT_NEAR(record.pae_angstrom.back(), 4, 1e-12);
  EXPECT_EQ(record.domains, std::vector<int>(1001, 0));
}

TEST(ConfidenceSetup, NoneTakesNoConfidence) {
  const auto system = build(lysozyme(", confidence: none, domains: auto"));
  EXPECT_THAT(system.confidence, IsEmpty());
}

TEST(ConfidenceSetup, GoModelFreesTheSignalPeptide) {
  const auto system = build(
      "system: {structure: alphafold/AF-P00698.pdb.gz}\n"
      "dynamics: {steps: 1}\n");
  for (const auto& angle : system.topology.angles) EXPECT_GE(angle.i, 16);
  EXPECT_THAT(system.notes, Contains(HasSubstr("pLDDT below 70, free of native angles")));
  const auto held = build(
      "system: {structure: alphafold/AF-P00698.pdb.gz}\n"
      "force_field: {confidence: {least_plddt: 0}}\ndynamics: {steps: 1}\n");
  EXPECT_EQ(held.topology.angles.size(), 145U);
}

TEST(ConfidenceSetup, WeightedContactsNeedPae) {
  const std::string weighted = ", domains: confidence-go";
  const auto system = build(lysozyme(with_pae, weighted));
  EXPECT_GT(system.topology.contacts_12_10.size(), 500U);
  EXPECT_THROW((void)build(lysozyme("", weighted)), core::InputError);
  EXPECT_THROW((void)build(lysozyme(with_pae + ", domains: auto", weighted)), core::InputError);
  EXPECT_EQ(build(lysozyme(", confidence: none", weighted)).topology.contacts_12_10.size(), 0U);
}

TEST(ConfidenceSetup, KeysAreChecked) {
  const std::string sequence = "system: {species: [{name: p, sequence: GGG";
  const std::string rest = "}]}\nforce_field: {model: calvados2}\ndynamics: {steps: 1}\n";
  EXPECT_THROW((void)build(sequence + ", confidence: a.json" + rest), core::InputError);
  EXPECT_THROW((void)build(sequence + ", domains_between_chains: true" + rest), core::InputError);
  EXPECT_THROW((void)build(lysozyme(", confidence: [none, a.json]")), core::InputError);
}

}  // namespace
}  // namespace nfold::setup
