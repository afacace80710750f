// Malformed CALVADOS folders, and what their files mean.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "cases.hpp"
#include "cli/calvados/external_force.hpp"
#include "cli/calvados/prepare_folder.hpp"
#include "cli/calvados/translation.hpp"
#include "core/failure.hpp"
#include "input/input.hpp"

namespace nfold::calvados {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Files = std::map<std::string, std::string>;

/// A folder with a component of each kind.
Files sound_files() {
  Files files;
  files["config.yaml"] =
      "box: [20, 20, 20]\ntemp: 293\nionic: 0.15\npH: 7\ntopol: grid\nsteps: 1000\n"
      "wfreq: 10\nlogfreq: 20\nsysname: base\nrestart: null\nfriction_coeff: 0.01\n"
      "custom_restraints: true\nfcustom_restraints: input/cres.txt\nfixed_lambda: 0.1\n"
      "ext_force: true\next_force_expr: step(d-3)*0.5*(d-3)^2; d=periodicdistance(x, y, z, 6, 6, "
      "z)\n";
  files["components.yaml"] =
      "defaults:\n  fresidues: input/residues.csv\n  ffasta: input/seqs.fasta\n"
      "  pdb_folder: input\n  fdomains: input/domains.yaml\n  use_com: false\n"
      "system:\n  idr: {nmol: 2}\n  fold: {restraint: true}\n"
      "  pred: {restraint: true, restraint_type: go}\n  strand: {molecule_type: rna}\n"
      "  star: {molecule_type: seastar, n_ends: 3}\n"
      "  graft: {molecule_type: ptm_protein, ptm_name: sugar, ptm_locations: [2]}\n"
      "  peg: {molecule_type: crowder, charge_termini: none}\n";
  files["input/residues.csv"] =
      "one,three,MW,lambdas,sigmas,q,bondlength\nA,ALA,71.07,0.3,0.5,0,0.38\n"
      "G,GLY,57.05,0.7,0.45,0,0.38\nK,LYS,128.17,0.14,0.64,1,0.38\nH,HIS,137.14,0.4,0.6,0,0.38\n"
      "p,RBC,194.1,0.0,0.7,-1,0.59\nr,RNA,126.3,1.2,0.62,0,0.54\nJ,PEG,44.05,0.2,0.4,0,0.33\n";
  files["input/seqs.fasta"] =
      ">idr one\nAGKH\nA\n>strand\nrrrr\n>star\nAGKGKGK\n>graft\nAGKA\n>sugar\nJJ\n>peg\nJJJ\n";
  files["input/domains.yaml"] = "fold:\n - [1, 3]\n";
  std::string pdb;
  for (int i = 0; i < 4; ++i) {
    pdb += "ATOM  " + std::string(4, ' ') + std::to_string(i + 1) + "  CA  ALA A   " +
           std::to_string(i + 1) + "      " + std::to_string(i * 4 % 8) + ".000   " +
           std::to_string(i) + ".500   0.250  1.00 90.00           C\n";
  }
  files["input/fold.pdb"] = files["input/pred.pdb"] = pdb;
  files["input/pred.json"] =
      "[{\"predicted_aligned_error\": [[0,1,1,2],[1,0,1,1],[1,1,0,1],[2,1,1,0]]}]";
  files["input/cres.txt"] = "idr 1 1 | idr 2 5 | 1.5 10\n";
  return files;
}

class Folders : public testing::Test {
 protected:
  ~Folders() override { std::filesystem::remove_all(folder_); }

  void write(const Files& files) const {
    std::filesystem::remove_all(folder_);
    for (const auto& [name, text] : files) {
      std::filesystem::create_directories((folder_ / name).parent_path());
      std::ofstream(folder_ / name) << text;
    }
  }
  /// Returns the message of the folder; "accepted" if there is none.
  [[nodiscard]] std::string refusal(const Files& files) const {
    write(files);
    try {
      (void)translate(folder_, {});
    } catch (const core::Failure& failure) {
      return failure.what();
    }
    return "accepted";
  }
  [[nodiscard]] Translation translated(const Files& files) const {
    write(files);
    return translate(folder_, {});
  }
  static Files with(Files files, const std::string& file, const std::string& from,
                    const std::string& to) {
    auto& text = files.at(file);
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << file << ": " << from;
    text.replace(at, from.size(), to);
    return files;
  }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("calvados-") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Folders, OtherFoldersAreNone) {
  EXPECT_TRUE(is_calvados_folder(case_folder("rna-chains")));
  EXPECT_FALSE(is_calvados_folder(NFOLD_CASES));
}

TEST_F(Folders, SoundFolderIsAccepted) {
  const auto made = translated(sound_files());
  ASSERT_EQ(made.molecules.size(), 7U);
  EXPECT_EQ(made.files[0].name, "base.yaml");
  const auto settings = input::parse_input(made.files[0].text, "base.yaml");
  EXPECT_EQ(settings.dynamics.steps, 1000);
  EXPECT_EQ(settings.output.trajectory_every_steps, 10);
  EXPECT_THAT(settings.system.box_nm, ElementsAre(20, 20, 20));
  EXPECT_EQ(settings.start.from, input::StartFrom::coordinates);
}

struct Malformed {
  std::string file, from, to;  ///< an empty `from`: the whole file, an empty `to` then removes it
  std::string expected;
};

const std::string config = "config.yaml", components = "components.yaml",
                  residues = "input/residues.csv", fasta = "input/seqs.fasta",
                  domains = "input/domains.yaml", pdb = "input/fold.pdb", pae = "input/pred.json",
                  restraints = "input/cres.txt";

const std::vector<Malformed> malformed{
    // config.yaml
    {config, "", "", "config.yaml: cannot be read"},
    {config, "box: [20, 20, 20]\n", "", "box"},
    {config, "[20, 20, 20]", "[20, 20]", "box"},
    {config, "[20, 20, 20]", "[20, -20, 20]", "box"},
    {config, "[20, 20, 20]", "[7, 20, 20]", "twice the longest cutoff, 8 nm"},
    {config, "temp: 293\n", "", "temp"},
    {config, "temp: 293", "temp: warm", "temp = warm"},
    {config, "temp: 293", "temp: 0", "temp = 0"},
    {config, "ionic: 0.15", "ionic: -1", "ionic = -1"},
    {config, "pH: 7\n", "", "pH"},
    {config, "pH: 7", "pH: [7]", "pH"},
    {config, "steps: 1000", "steps: -5", "steps = -5"},
    {config, "steps: 1000", "steps: 9", "steps = 9"},
    {config, "wfreq: 10", "wfreq: 0", "wfreq = 0"},
    {config, "logfreq: 20", "logfreq: x", "logfreq = x"},
    {config, "restart: null", "restart: chk", "restart = chk"},
    {config, "topol: grid", "topol: center", "topol = center with 8 molecules"},
    {config, "topol: grid", "topol: slab", "topol = slab with star"},
    {config, "topol: grid", "topol: shift_ref_bead\nref_bead: 99", "ref_bead = 99"},
    {config, "topol: grid", "topol: random\nbox_eq: true", "box_eq = true"},
    {config, "topol: grid", "topol: random\nbilayer_eq: true", "bilayer_eq = true"},
    {config, "friction_coeff: 0.01", "friction_coeff: -0.1", "friction_coeff = -0.1"},
    {config, "fixed_lambda: 0.1", "fixed_lambda: a", "fixed_lambda = a"},
    {config, "topol: grid", "topol: grid\ncutoff_lj: 0", "cutoff_lj = 0"},
    {config, "topol: grid", "topol: grid\nslab_eq: maybe", "slab_eq = maybe"},
    {config, "topol: grid", "topol: grid\ntopol: slab", "'topol' for the second time"},
    {config, "topol: grid", "topol: [grid", "not valid YAML"},
    {config, "step(d-3)*0.5*(d-3)^2", "exp(d)", "ext_force_expr = exp(d)"},
    {config, "input/cres.txt", "input/none.txt", "no file 'input/none.txt'"},
    {config, "custom_restraints: true", "custom_restraint_type: soft\ncustom_restraints: true",
     "custom_restraint_type = soft"},
    // components.yaml
    {components, "", "", "components.yaml: cannot be read"},
    {components, "system:", "sytem:", "system"},
    {components, "  idr: {nmol: 2}", "  idr: {nmol: -2}", "system.idr.nmol = -2"},
    {components, "  idr: {nmol: 2}", "  idr: 2", "system.idr = 2"},
    {components, "  idr: {nmol: 2}", "  idr: {molecule_type: lipid}",
     "system.idr.molecule_type = lipid"},
    {components, "  idr: {nmol: 2}", "  idr: {molecule_type: protien}",
     "system.idr.molecule_type = protien"},
    {components, "  fresidues: input/residues.csv\n", "", "system.idr.fresidues: no file ''"},
    {components, "input/residues.csv", "input/none.csv", "no file 'input/none.csv'"},
    {components, "input/seqs.fasta", "elsewhere/none.fasta", "no file 'elsewhere/none.fasta'"},
    {components, "molecule_type: rna", "molecule_type: rna, restraint: true, restraint_type: go",
     "restraint_type = go for rna"},
    {components, "ptm_locations: [2]", "ptm_locations: [5]", "ptm_locations has 5"},
    {components, "ptm_name: sugar", "ptm_name: salt", "no record 'salt'"},
    {components, "restraint_type: go", "restraint_type: goo", "restraint_type = goo"},
    {components, "  fold: {restraint: true}", "  fold: {restraint: true, periodic: true}",
     "no CRYST1"},
    {components, "  fold: {restraint: true}", "  other: {restraint: true}",
     "no file 'input/other.pdb'"},
    // residues.csv
    {residues, "", "\n", "residues.csv: no residue"},
    {residues, "sigmas", "sigma", "residues.csv:1: no column 'sigmas'"},
    {residues, "A,ALA,71.07", "A,ALA", "residues.csv:2: 6 fields"},
    {residues, "71.07", "heavy", "residues.csv:2: MW = 'heavy'"},
    {residues, "0.3,0.5,0", "0.3,-0.5,0", "residues.csv:2: sigmas = '-0.5'"},
    {residues, "G,GLY", "A,GLY", "residues.csv:3: the letter A for the second time"},
    {residues, "p,RBC", "q,RBC", "has the letter p"},
    // sequences
    {fasta, ">idr one", ">idrs one", "no record 'idr'"},
    {fasta, "AGKH\nA\n", "", "an empty sequence"},
    {fasta, "AGKH", "AGXH", "bead 3 has the letter X"},
    {fasta, ">sugar", ">star", "record star for the second time"},
    // domains
    {domains, "fold", "folds", "domains.yaml: no key 'fold'"},
    {domains, "[1, 3]", "[1, 9]", "domains.yaml:2"},
    {domains, "[1, 3]", "[3, 1]", "domains.yaml:2"},
    {domains, " - [1, 3]", "  all", "fold = all"},
    // structure
    {pdb, "", "REMARK\n", "fold.pdb:1: no atom"},
    {pdb, "   0.500", "   0.5x0", "fold.pdb:1: y"},
    {pdb, "ALA A   2", "SEP A   2", "residue SEP 2"},
    {pdb, "ALA A   2", "ALA A   x", "residue number"},
    {pdb, " CA  ALA A   3", " CB  ALA A   3", "residue ALA 3 has no atom CA"},
    // aligned errors
    {pae, "", "{", "pred.json:1: not valid JSON"},
    {pae, "predicted_aligned_error", "errors", "no pLDDT or PAE of residues"},
    {pae, "[0,1,1,2],", "", "3 x 4, expected a square matrix"},
    {pae, "[1,0,1,1]", "[1,0,1]", "row 2 of predicted_aligned_error has 3 numbers"},
    {pae, "[1,0,1,1]", "[1,0,-1,1]", "row 2, column 3"},
    {pae, "", "[{\"predicted_aligned_error\": [[0]]}]", "a PAE of 1 residue"},
    // custom restraints
    {restraints, "| 1.5 10", "1.5 10", "cres.txt:1"},
    {restraints, "idr 1 1", "idr 1", "cres.txt:1"},
    {restraints, "1.5 10", "1.5", "cres.txt:1: '1.5'"},
    {restraints, "idr 1 1", "idx 1 1", "cres.txt:1: no component 'idx'"},
    {restraints, "idr 2 5", "idr 3 5", "cres.txt:1: copy 3 of idr"},
    {restraints, "idr 2 5", "idr 2 6", "cres.txt:1: bead 6 of idr"},
    {restraints, "idr 2 5", "idr 1 1", "cres.txt:1: the same bead twice"},
};

TEST_F(Folders, MalformedFolderGetsOneLine) {
  EXPECT_GE(malformed.size(), 60U);
  for (const auto& [file, from, to, expected] : malformed) {
    auto files = sound_files();
    if (!from.empty()) {
      files = with(files, file, from, to);
    } else if (to.empty()) {
      files.erase(file);
    } else {
      files[file] = to;
    }
    const auto message = refusal(files);
    EXPECT_THAT(message, HasSubstr(expected)) << file << ": " << from << " -> " << to;
    EXPECT_THAT(message, Not(HasSubstr("\n"))) << file << ": " << from << " -> " << to;
  }
}

TEST_F(Folders, PathsOfAnotherMachineAreFound) {
  const auto files =
      with(sound_files(), "components.yaml", "input/residues.csv", "/gone/lib/residues.csv");
  const auto made = translated(files);
  EXPECT_THAT(made.notes,
              testing::Contains(HasSubstr("fresidues = /gone/lib/residues.csv: found")));
}

TEST_F(Folders, RestraintsActOnTheBeadsThatAreNamed) {
  const auto files = with(sound_files(), "input/cres.txt", "idr 2 5 | 1.5 10", "peg 1 2 | 1.5 10");
  const auto made = translated(files);
  const auto text = std::find_if(made.files.begin(), made.files.end(),
                                 [](const auto& file) { return file.name == "restraints.txt"; });
  ASSERT_NE(text, made.files.end());
  EXPECT_THAT(text->text, HasSubstr("[springs]\nidr.1:1 peg:2 1.5 10\n"));
  EXPECT_THAT(made.notes, testing::Contains(HasSubstr("from the third component on")));
}

TEST_F(Folders, OlderVersionIsNoted) {
  const auto made = translated(with(sound_files(), "components.yaml", "restraint_type: go",
                                    "restraint_type: go, k_go: 10, pae_shift: 0.4, pae_width: 8"));
  EXPECT_THAT(made.notes, testing::Contains(HasSubstr("CALVADOS 0.7 and older")));
}

TEST_F(Folders, IgnoredKeysAreNamed) {
  const auto made =
      translated(with(sound_files(), "config.yaml", "topol: grid", "topol: grid\nsteeps: 7"));
  EXPECT_THAT(made.notes, testing::Contains("keys that CALVADOS does not read: steeps"));
}

TEST_F(Folders, PreparedFilesAreNotOverwritten) {
  write(sound_files());
  std::ostringstream out;
  const auto given = input_of_folder(folder_, out);
  EXPECT_TRUE(std::filesystem::exists(given.input));
  (void)input_of_folder(folder_, out);  // the same again
  std::ofstream(given.input) << "dynamics: {steps: 5}\n";
  EXPECT_THROW((void)input_of_folder(folder_, out), core::Failure);
}

TEST_F(Folders, RestartStartsFromThePdb) {
  auto files =
      with(sound_files(), "config.yaml", "restart: null", "restart: pdb\nfrestart: last.pdb");
  files = with(files, "components.yaml",
               files["components.yaml"].substr(files["components.yaml"].find("  fold:")), "");
  files = with(files, "input/cres.txt", "idr 2 5", "idr 2 4");
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += "ATOM      1  CA  ALA A   1       " + std::to_string(i) + ".000   1.000   2.000\n";
  }
  files["last.pdb"] = text;
  const auto made = translated(files);
  ASSERT_EQ(made.start_nm.size(), 10U);
  EXPECT_NEAR(made.start_nm[7][0], 0.7, 1e-12);
  EXPECT_NEAR(made.start_nm[7][2], 0.2, 1e-12);
}

TEST(ExternalForce, ExpressionsBecomeFields) {
  const auto wall =
      to_external_field("step(d-3)*0.5*(d-3)^2; d=periodicdistance(x, y, z, 6, 7, z)");
  ASSERT_TRUE(wall);
  EXPECT_THAT(wall->axes, ElementsAre(true, true, false));
  EXPECT_THAT(wall->origin_nm, ElementsAre(6, 7, 0));
  EXPECT_EQ(wall->inner_nm, 3);
  EXPECT_EQ(wall->centre_nm, 3);
  EXPECT_EQ(wall->k_kj_mol_nm2, 1);
  EXPECT_EQ(wall->value_at(5).energy, 2);
  EXPECT_EQ(wall->value_at(2.9).energy, 0);
  const auto standard =
      to_external_field("step(d2-18)*d2; d2=periodicdistance(x, y, z, 0, 0, z)^2");
  ASSERT_TRUE(standard);
  EXPECT_DOUBLE_EQ(standard->value_at(5).energy, 25);
  EXPECT_EQ(standard->value_at(4).energy, 0);
  const auto pull = to_external_field("0.02*abs(periodicdistance(x,y,z,x,y,15))");
  ASSERT_TRUE(pull);
  EXPECT_DOUBLE_EQ(pull->value_at(2).energy, 0.04);
  EXPECT_DOUBLE_EQ(pull->value_at(2).slope, 0.02);
}

TEST(ExternalForce, OtherExpressionsAreRefused) {
  for (const char* expression :
       {"", "x", "d", "exp(d); d=periodicdistance(x,y,z,0,0,0)",
        "d^3; d=periodicdistance(x,y,z,0,0,0)", "d+1; d=periodicdistance(x,y,z,0,0,0)", "d; d=d",
        "periodicdistance(y,x,z,0,0,0)", "(d-1); d=periodicdistance(x,y,z,0,0,0)",
        "step(1-d)*d; d=periodicdistance(x,y,z,0,0,0)",
        "d*e; d=periodicdistance(x,y,z,0,0,0); e=periodicdistance(x,y,z,1,0,0)", "d;d", "((((",
        "periodicdistance(x,y,z,x,y,z)"}) {
    EXPECT_FALSE(to_external_field(expression)) << expression;
  }
}

}  // namespace
}  // namespace nfold::calvados
