// Domains, free residues and weighted contacts of predicted structures.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "model/structure/fasta.hpp"
#include "model/structure/gunzip.hpp"
#include "model/topology/confidence_go.hpp"
#include "model/topology/elastic_network.hpp"
#include "model/topology/exponential.hpp"
#include "model/topology/folded_domains.hpp"
#include "model/topology/go_model.hpp"
#include "model/topology/held_residues.hpp"
#include "model/topology/monomer_beads.hpp"
#include "model/topology/residue_model.hpp"

namespace nfold::topology {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string duo_file(const char* name) {
  return structure::read_structure_bytes(std::string(NFOLD_TEST_DATA "/confidence-go/") + name);
}

/// Tail, ubiquitin, linker, SDF-1 and tail in one chain, with made-up pLDDT and PAE
/// (cases/calvados/domains-go).
structure::Structure duo() {
  auto molecule = structure::parse_structure(duo_file("duo.pdb.gz"), "duo.pdb");
  structure::set_confidence(molecule, {false, {{"duo.json", duo_file("duo.json.gz")}}});
  return molecule;
}

TEST(PairConfidence, EqualsPublishedFormula) {
  struct Example {
    double plddt_i, plddt_j, pae_angstrom, pae_back_angstrom, weight, residual;
  };
  // Computed from the package's equations, twelve digits.
  constexpr std::array<Example, 4> examples{{{90, 85, 2, 4, 0.462070909989, -1},
                                             {78, 95, 3, 3, 0.134470710685, 0.0596556735559},
                                             {76, 92, 2, 2, 0.0974572665330, 0.550680031656},
                                             {95, 95, 4, 6, 0.0473996571681, -1}}};
  for (const Example& e : examples) {
    const auto pair =
        pair_confidence(e.plddt_i, e.plddt_j, (e.pae_angstrom + e.pae_back_angstrom) / 20, {});
    EXPECT_NEAR(pair.weight, e.weight, 1e-12);
    if (e.residual >= 0) {
      EXPECT_NEAR(pair.residual, e.residual, 1e-12);
    }
  }
}

TEST(PairConfidence, BondRuleHasThreeRegimes) {
  EXPECT_EQ((PairConfidence{0.0499, 0.98}.model_length_part()), 1);
  EXPECT_EQ((PairConfidence{0.1501, 0.02}.model_length_part()), 0);
  EXPECT_EQ((PairConfidence{0.1, 0.5}.model_length_part()), 0.5);
}

TEST(Exponential, EqualsLibraryFunction) {
  for (double x = -60; x <= 60; x += 0.37) {
    EXPECT_NEAR(exponential(x) / std::exp(x), 1, 1e-15) << x;
  }
  EXPECT_EQ(exponential(0), 1);
  EXPECT_GT(exponential(1e9), 1e300);
  EXPECT_LT(exponential(-1e9), 1e-300);
}

TEST(WeightedContacts, EqualThoseOfCalvados) {
  const auto molecule = duo();
  std::vector<std::array<double, 3>> centres;
  std::vector<int> chain_of;
  for (const auto& chain : molecule.chains) {
    for (const auto& residue : chain.residues) {
      centres.push_back(centre_of_mass_nm(residue));
      chain_of.push_back(0);
    }
  }
  const auto weighted = weighted_contacts(centres, chain_of, molecule.confidence, {});
  const auto& contacts = weighted.contacts;
  ASSERT_EQ(contacts.size(), 568U);
  EXPECT_EQ(std::ranges::count_if(contacts, [](const auto& c) { return c.residual > 0; }), 108);
  EXPECT_EQ(std::ranges::count_if(weighted.model_length_part,
                                  [](double part) { return part > 0 && part < 1; }),
            16);

  // Terms of the package, which rounds B-factors and positions to single precision.
  std::map<std::pair<int, int>, const WeightedContact*> by_pair;
  for (const auto& contact : contacts) by_pair[{contact.i, contact.j}] = &contact;
  const ConfidenceGo model;
  std::istringstream lines(structure::gunzip(duo_file("terms.csv.gz"), "terms.csv"));
  std::string line;
  int go = 0, scaled = 0, bonds = 0;
  while (std::getline(lines, line)) {
    std::vector<std::string> field;
    std::istringstream columns(line);
    for (std::string text; std::getline(columns, text, ',');) field.push_back(text);
    if (field[0] == "force") continue;
    const int i = std::stoi(field[1]), j = std::stoi(field[2]);
    const double first = std::stod(field[4]), second = std::stod(field[5]);
    if (field[0] == "bond:duo") {
      const double part = weighted.model_length_part[static_cast<std::size_t>(i)];
      const auto &a = centres[static_cast<std::size_t>(i)],
                 &b = centres[static_cast<std::size_t>(j)];
      const double distance = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
      EXPECT_NEAR(part * 0.38 + (1 - part) * distance, first, 2e-6) << line;
      ++bonds;
      continue;
    }
    ASSERT_TRUE(by_pair.contains({i, j})) << line;
    const WeightedContact& contact = *by_pair[{i, j}];
    if (field[0] == "go:duo") {
      EXPECT_NEAR(contact.distance_nm, first, 1e-6);
      EXPECT_NEAR(contact.weight * model.epsilon_kj_mol, second, 3e-5 * second);
      ++go;
    } else {
      const double factor = std::stod(field[6]);
      EXPECT_NEAR(contact.residual, factor, 3e-5 * factor + 1e-9) << line;
      ++scaled;
    }
  }
  EXPECT_EQ(go, 568);
  EXPECT_EQ(scaled, 108);
  EXPECT_EQ(bonds, 158);
}

TEST(WeightedContacts, JoinChainsOnRequestOnly) {
  structure::Confidence confidence;
  confidence.plddt.assign(4, 95);
  confidence.pae_angstrom.assign(16, 1);
  const std::vector<std::array<double, 3>> line{{0, 0, 0}, {0.4, 0, 0}, {0.4, 0.4, 0}, {0, 0.4, 0}};
  const std::vector<int> chains{0, 0, 1, 1};
  ConfidenceGo model;
  EXPECT_TRUE(weighted_contacts(line, chains, confidence, model).contacts.empty());
  model.between_chains = true;
  const auto contacts = weighted_contacts(line, chains, confidence, model).contacts;
  ASSERT_EQ(contacts.size(), 3U);  // (1, 2) are neighbours by index
  EXPECT_EQ(contacts[0].j, 2);
}

/// A made-up model: groups of residues by letter, '.' disordered. Residues of the same letter have
/// a PAE of 1 to 6 angstrom, others of 10 to 28; neighbours along the chain at most 3.
structure::Structure made_model(const std::vector<std::string>& chains, unsigned seed = 1) {
  structure::Structure molecule;
  molecule.name = "made";
  std::string all;
  std::vector<std::size_t> chain_of;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    auto one = structure::make_sequence_structure("p", std::string(chains[c].size(), 'A'));
    molecule.chains.push_back(one.chains.front());
    molecule.chains.back().name = std::string(1, static_cast<char>('A' + c));
    all += chains[c];
    chain_of.insert(chain_of.end(), chains[c].size(), c);
  }
  std::mt19937 random(seed);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  };
  const std::size_t count = all.size();
  for (const char group : all) {
    molecule.confidence.plddt.push_back(group == '.' ? between(25, 60) : between(75, 98));
  }
  molecule.confidence.pae_angstrom.assign(count * count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      const bool are_near = chain_of[i] == chain_of[j] && i < j + 4 && j < i + 4;
      molecule.confidence.pae_angstrom[i * count + j] = are_near ? between(0.3, 3)
                                                        : all[i] == all[j] && all[i] != '.'
                                                            ? between(1, 6)
                                                            : between(10, 28);
    }
  }
  return molecule;
}

/// The domain of each residue as letters: 'a' is domain 0, '.' none.
std::string domain_letters(const structure::Structure& molecule, const DomainSearch& search = {}) {
  std::string text;
  for (const int domain : folded_domains(molecule, {"auto"}, search)) {
    text += domain < 0 ? '.' : static_cast<char>('a' + domain);
  }
  return text;
}

std::string repeat(char letter, std::size_t count) { return std::string(count, letter); }

TEST(DomainsByPae, LinkersAndTailsAreFree) {
  const std::string groups =
      repeat('.', 25) + repeat('a', 80) + repeat('.', 15) + repeat('b', 60) + repeat('.', 40);
  for (unsigned seed = 1; seed < 6; ++seed) {
    EXPECT_EQ(domain_letters(made_model({groups}, seed)), groups);
  }
}

TEST(DomainsByPae, AdjacentDomainsAreSeparate) {
  const std::string groups = repeat('a', 70) + repeat('b', 90);
  EXPECT_EQ(domain_letters(made_model({groups})), groups);
}

TEST(DomainsByPae, DomainMayBeDiscontinuous) {
  const std::string groups = repeat('a', 40) + repeat('b', 50) + repeat('a', 45);
  EXPECT_EQ(domain_letters(made_model({groups})), groups);
}

TEST(DomainsByPae, SmallGroupsAreNone) {
  const std::string groups = repeat('a', 19) + repeat('.', 10) + repeat('b', 20);
  EXPECT_EQ(domain_letters(made_model({groups})), repeat('.', 29) + repeat('a', 20));
}

TEST(DomainsByPae, ConfidentOrientationMakesOneDomain) {
  auto molecule = made_model({repeat('a', 60) + repeat('.', 10) + repeat('b', 60)});
  for (std::size_t i = 0; i < 60; ++i) {
    for (std::size_t j = 70; j < 130; ++j) {
      molecule.confidence.pae_angstrom[i * 130 + j] = 4;
      molecule.confidence.pae_angstrom[j * 130 + i] = 6;
    }
  }
  EXPECT_EQ(domain_letters(molecule), repeat('a', 60) + repeat('.', 10) + repeat('a', 60));
  DomainSearch strict;
  strict.largest_pae_angstrom = 4.5;
  EXPECT_EQ(domain_letters(molecule, strict), repeat('a', 60) + repeat('.', 10) + repeat('b', 60));
}

TEST(DomainsByPae, JoinChainsOnRequestOnly) {
  const auto dimer = made_model({repeat('a', 50), repeat('a', 50)});
  EXPECT_EQ(domain_letters(dimer), repeat('a', 50) + repeat('b', 50));
  DomainSearch search;
  search.between_chains = true;
  EXPECT_EQ(domain_letters(dimer, search), repeat('a', 100));
}

TEST(DomainsByPae, ThresholdsAreKeys) {
  const std::string groups = repeat('.', 30) + repeat('a', 60);
  DomainSearch all;
  all.least_plddt = 0;
  all.largest_pae_angstrom = 100;
  EXPECT_EQ(domain_letters(made_model({groups}), all), repeat('a', 90));
}

TEST(DomainsByPae, LargeModelIsFast) {
  std::string groups;
  for (int domain = 0; domain < 20; ++domain)
    groups += repeat(static_cast<char>('a' + domain), 100);
  EXPECT_EQ(domain_letters(made_model({groups})), groups);
}

TEST(DomainsByPlddt, UnconfidentResiduesAreFree) {
  auto ubiquitin = structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  const auto before = find_domains(ubiquitin);
  ubiquitin.confidence.plddt.assign(76, 90);
  EXPECT_EQ(find_domains(ubiquitin), before);
  for (std::size_t i = 0; i < 12; ++i) ubiquitin.confidence.plddt[i] = 50;
  const auto domains = find_domains(ubiquitin);
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(domains[i], -1);
  EXPECT_EQ(domains[40], 0);
}

// Lysozyme with its signal peptide, residues 1 to 18, the last of which has a high pLDDT, from
// AlphaFold DB.
TEST(DomainsOfLysozyme, SignalPeptideIsFree) {
  const std::string folder = NFOLD_STRUCTURES "/../alphafold/";
  auto molecule = structure::read_structure(folder + "AF-P00698.pdb.gz");
  EXPECT_THAT(molecule.file.prediction.predictor, HasSubstr("ALPHAFOLD MONOMER V2.0"));
  structure::set_confidence(
      molecule, {false, {{"pae", structure::read_structure_bytes(folder + "AF-P00698.json.gz")}}});
  const auto domains = folded_domains(molecule, {"auto"});
  ASSERT_EQ(domains.size(), 147U);
  for (int i = 0; i < 147; ++i)
    EXPECT_EQ(domains[static_cast<std::size_t>(i)], i < 17 ? -1 : 0) << i + 1;
}

TEST(DomainsOfDuo, ReadsPae) {
  const auto molecule = duo();
  const auto domains = folded_domains(molecule, {"auto"});
  for (std::size_t i = 8; i < domains.size(); ++i) {
    if (i == 81) continue;  // confident, but beside the linker, with a high PAE
    EXPECT_EQ(domains[i] >= 0, molecule.confidence.plddt[i] >= 70) << i;
  }
}

TEST(DomainsOfOligomers, ChainsInContactJoinOnRequest) {
  const auto protease = structure::read_structure(NFOLD_STRUCTURES "/1hpv.pdb.gz");
  const auto count = [&](bool between_chains) {
    DomainSearch search;
    search.between_chains = between_chains;
    const auto domains = folded_domains(protease, {"auto"}, search);
    return 1 + *std::ranges::max_element(domains);
  };
  EXPECT_EQ(count(false), 2);
  EXPECT_EQ(count(true), 1);
}

std::size_t terms_with(const Topology& topology, int below) {
  std::size_t count = 0;
  const auto add = [&](auto kind) {
    for (const auto& term : terms_of(topology, kind)) {
      const auto [residues, numbers] = term.parts();
      count += std::ranges::min(residues) < below ? 1 : 0;
    }
  };
  add(AngleKind{});
  add(DihedralKind{});
  add(Contact1210Kind{});
  return count;
}

TEST(GoModelOfPrediction, DisorderedTailIsFree) {
  auto ubiquitin = structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  const auto all = build_go_model(ubiquitin, {});
  ubiquitin.confidence.plddt.assign(76, 90);
  EXPECT_EQ(hash_topology(build_go_model(ubiquitin, {})), hash_topology(all));
  for (std::size_t i = 0; i < 10; ++i) ubiquitin.confidence.plddt[i] = 40;
  const auto part = build_go_model(ubiquitin, {});
  EXPECT_EQ(part.bonds.size(), all.bonds.size());
  EXPECT_EQ(terms_with(part, 10), 0U);
  EXPECT_EQ(part.dihedrals.size(), 73U - 10);
  EXPECT_THAT(part.notes, Contains(HasSubstr("free of native angles, dihedrals and contacts: 10")));
  GoModel held;
  held.least_plddt = 0;
  EXPECT_EQ(hash_topology(build_go_model(ubiquitin, held)), hash_topology(all));
  EXPECT_THAT(describe_held_residues(part),
              ElementsAre("A 1-10 (10 residues): free",
                          testing::MatchesRegex("A 11-76 .66 residues.: [0-9]+ native contacts, "
                                                "[0-9]+ native angles and dihedrals")));
}

TEST(HeldResidues, NamesDomainsAndSprings) {
  auto ubiquitin = structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  auto topology = build_go_model(ubiquitin, {});
  BondedTerms& terms = topology;
  terms = BondedTerms();
  EXPECT_THAT(describe_held_residues(topology), ElementsAre());
  for (int i = 5; i < 40; ++i) topology.residues.items()[static_cast<std::size_t>(i)].domain = 0;
  input::Network network;
  network.k_kj_mol_nm2 = 700;
  network.cutoff_nm = 0.9;
  add_elastic_network(topology, std::vector(topology.chains.size(), network));
  const auto lines = describe_held_residues(topology);
  EXPECT_THAT(lines,
              ElementsAre("A 1-5 (5 residues): free", HasSubstr("A 6-40 (35 residues): domain 1, "),
                          "A 41-76 (36 residues): free"));
  EXPECT_THAT(lines[1], HasSubstr(std::to_string(topology.restraints.size()) + " springs"));
  EXPECT_EQ(describe_held_residues(topology, 1).back(), "... and 2 ranges more");
}

TEST(HeldResidues, AnglesOfAChainKindHoldNothing) {
  const auto ubiquitin = structure::read_structure(NFOLD_STRUCTURES "/1ubq.pdb.gz");
  auto topology = build_go_model(ubiquitin, {});
  BondedTerms& terms = topology;
  const Angle native = topology.angles[0];
  terms = BondedTerms();
  topology.angles.push_back({0, 1, 2, 3.14, 4.2});
  EXPECT_THAT(describe_held_residues(topology), ElementsAre());
  topology.angles.push_back(native);
  EXPECT_THAT(describe_held_residues(topology),
              ElementsAre("A 1-3 (3 residues): 1 native angles and dihedrals",
                          "A 4-76 (73 residues): free"));
}

}  // namespace
}  // namespace nfold::topology
