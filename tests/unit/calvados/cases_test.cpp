// Translated CALVADOS folders against the package's own beads, terms and starts.
// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/calvados/translation.hpp"
#include "model/topology/molecule_file.hpp"

namespace nfold::calvados {
namespace {

class Cases : public testing::TestWithParam<std::string> {
 protected:
  Cases() : folder_(case_folder(GetParam())), made_(translate(folder_, {})) {}

  struct Bead {
    std::size_t component;
    int copy;          // from 0
    std::size_t bead;  // in the molecule
  };
  /// All beads of the system in their order.
  [[nodiscard]] std::vector<Bead> beads() const {
    std::vector<Bead> all;
    for (std::size_t c = 0; c < made_.molecules.size(); ++c) {
      for (int copy = 0; copy < static_cast<int>(made_.folder.components[c].copies); ++copy) {
        for (std::size_t b = 0; b < made_.molecules[c].letters.size(); ++b) {
          all.push_back({c, copy, b});
        }
      }
    }
    return all;
  }
  [[nodiscard]] nlohmann::json expected() const {
    std::ifstream stream(folder_ / "expected.json");
    return nlohmann::json::parse(stream);
  }

  std::filesystem::path folder_;
  Translation made_;
};

TEST_P(Cases, OrderOfBeadsMatches) {
  const auto rows = read_csv(folder_ / "beads.csv");
  const auto all = beads();
  ASSERT_EQ(all.size(), rows.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& component = made_.folder.components[all[i].component];
    const auto& molecule = made_.molecules[all[i].component];
    EXPECT_EQ(component.name, rows[i].text("component"));
    EXPECT_EQ(all[i].copy + 1, rows[i].integer("molecule"));
    EXPECT_EQ(static_cast<int>(all[i].bead) + 1, rows[i].integer("place"));
    EXPECT_EQ(std::string(1, molecule.letters[all[i].bead]), rows[i].text("letter"));
  }
}

TEST_P(Cases, StartMatches) {
  if (made_.folder.config.placement == Placement::random) GTEST_SKIP() << "a random start";
  const auto rows = read_csv(folder_ / "start.csv");
  ASSERT_EQ(made_.start_nm.size(), rows.size());
  constexpr double tolerance_nm = 5.01e-5;  // the file has four decimals
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NEAR(made_.start_nm[i][0], rows[i].number("x_nm"), tolerance_nm) << i;
    EXPECT_NEAR(made_.start_nm[i][1], rows[i].number("y_nm"), tolerance_nm) << i;
    EXPECT_NEAR(made_.start_nm[i][2], rows[i].number("z_nm"), tolerance_nm) << i;
  }
}

/// A bonded term as terms.csv has it: beads and numbers.
struct TermRow {
  std::string kind;
  std::vector<int> beads;
  std::vector<double> numbers;
};

TEST_P(Cases, BondedTermsMatch) {
  std::vector<TermRow> terms;
  int first = 0;
  const double epsilon = made_.folder.config.epsilon_kcal_mol * 4.184;
  for (std::size_t c = 0; c < made_.molecules.size(); ++c) {
    const auto& m = made_.molecules[c].molecule;
    const bool is_rna = made_.folder.components[c].type == MoleculeType::rna;
    for (std::uint64_t copy = 0; copy < made_.folder.components[c].copies; ++copy) {
      for (const auto& t : m.bonds) {
        terms.push_back({"bond", {first + t.i, first + t.j}, {t.length_nm, t.k_kj_mol_nm2}});
      }
      for (const auto& t : m.springs) {
        terms.push_back({"restraint", {first + t.i, first + t.j}, {t.length_nm, t.k_kj_mol_nm2}});
      }
      for (const auto& t : m.contacts) {
        terms.push_back({"go", {first + t.i, first + t.j}, {t.distance_nm, t.epsilon_kj_mol}});
      }
      for (const auto& t : m.angles) {
        terms.push_back(
            {"angle", {first + t.i, first + t.j, first + t.k}, {t.theta0_rad, t.k_kj_mol_rad2}});
      }
      for (const auto& t : m.local_pairs) {
        terms.push_back({is_rna ? "stacking" : "scaled_ashbaugh_hatch",
                         {first + t.i, first + t.j},
                         {t.sigma_nm, t.lambda, t.epsilon_kj_mol / epsilon}});
      }
      first += static_cast<int>(made_.molecules[c].letters.size());
    }
  }
  std::map<std::pair<std::string, std::vector<int>>, std::vector<double>> found;
  for (const auto& term : terms) found[{term.kind, term.beads}] = term.numbers;
  EXPECT_EQ(found.size(), terms.size()) << "a term twice";

  std::size_t compared = 0;
  for (const auto& row : read_csv(folder_ / "terms.csv")) {
    const auto kind = row.text("force").substr(0, row.text("force").find(':'));
    if (kind == "custom_restraint" || kind == "scaled_debye_hueckel") continue;
    std::vector<int> ids{row.integer("i"), row.integer("j")};
    if (kind == "angle") ids.push_back(row.integer("k"));
    const auto at = found.find({kind, ids});
    ASSERT_NE(at, found.end()) << row.text("force") << " " << ids[0] << " " << ids[1];
    ++compared;
    for (std::size_t k = 0; k < at->second.size(); ++k) {
      const double expected = row.number("p" + std::to_string(k + 1));
      // The angle of a structure is in single precision.
      const double digits = kind == "angle" ? 2e-7 : 1e-9;
      EXPECT_NEAR(at->second[k], expected, digits * std::abs(expected))
          << row.text("force") << " " << ids[0] << " " << ids[1];
    }
  }
  EXPECT_EQ(compared, found.size());
}

TEST_P(Cases, ScaledChargesMatch) {
  std::set<std::pair<int, int>> charged;
  for (const auto& row : read_csv(folder_ / "terms.csv")) {
    if (row.text("force").starts_with("scaled_debye_hueckel")) {
      charged.emplace(row.integer("i"), row.integer("j"));
    }
  }
  for (const auto& pair : charged) {
    const auto& pairs = made_.molecules[0].molecule.local_pairs;
    EXPECT_TRUE(std::ranges::any_of(
        pairs, [&](const auto& p) { return std::pair(p.i, p.j) == pair && p.charge_factor > 0; }));
  }
}

TEST_P(Cases, MoleculesReadBack) {
  for (std::size_t c = 0; c < made_.molecules.size(); ++c) {
    const auto text = topology::write_molecule(made_.molecules[c].molecule, {"one"});
    const auto again = topology::parse_molecule(text, "a.molecule");
    EXPECT_EQ(topology::write_molecule(again, {"one"}), text);
  }
}

INSTANTIATE_TEST_SUITE_P(Calvados, Cases, testing::ValuesIn(case_names), [](const auto& one) {
  std::string name = one.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace nfold::calvados
