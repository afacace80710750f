// Files in the package's formats: PDB, log, and the System that it writes.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cases.hpp"
#include "cli/calvados/like_calvados.hpp"
#include "cli/calvados/system_xml.hpp"
#include "core/input_error.hpp"
#include "core/read_text.hpp"

namespace nfold::calvados {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> atom_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("ATOM") || line.starts_with("TER") || line.starts_with("CRYST1")) {
      lines.push_back(line);
    }
  }
  return lines;
}

TEST(LikeCalvados, PdbMatchesTopOfThePackage) {
  for (const char* name : {"phospho-cyclic-branched", "rna-chains"}) {
    const auto folder = translate(case_folder(name), {});
    std::vector<Point> positions;
    for (const auto& row : read_csv(case_folder(name) / "start.csv")) {
      positions.push_back({row.number("x_nm"), row.number("y_nm"), row.number("z_nm")});
    }
    EXPECT_EQ(atom_lines(pdb_text(folder, positions)),
              atom_lines(core::read_required_text(case_folder(name) / "top.pdb")))
        << name;
  }
}

TEST(LikeCalvados, MoleculesAreWrappedWhole) {
  const auto folder = translate(case_folder("slab-crowder"), {});
  auto positions = folder.start_nm;
  const auto before = positions;
  for (auto& x : positions) x[0] += 23;
  wrap_molecules(folder, positions);
  for (std::size_t i = 1; i < folder.molecules[0].letters.size(); ++i) {
    EXPECT_NEAR(positions[i][0] - positions[0][0], before[i][0] - before[0][0], 1e-12);
  }
  double mean = 0;
  const auto beads = folder.molecules[0].letters.size();
  for (std::size_t i = 0; i < beads; ++i) mean += positions[i][0] / static_cast<double>(beads);
  EXPECT_GE(mean, 0);
  EXPECT_LE(mean, 10);
}

TEST(LikeCalvados, LogHasTheColumnsOfOpenMm) {
  const auto folder = translate(case_folder("slab-crowder"), {});
  const std::string energies =
      "step,time_ps,potential_kj_mol\n# comment\n0,0,1\n1000,10,2\n2000,20,-3.5\n";
  EXPECT_EQ(log_text(folder, energies, 0.864),
            "#\"Step\"\t\"Potential Energy (kJ/mole)\"\t\"Speed (ns/day)\"\t\"Elapsed Time (s)\"\n"
            "1000\t-3.5\t1\t864\n");
}

const std::string system_text = R"xml(<?xml version="1.0" ?>
<System openmmVersion="8.2" type="System" version="1">
 <Particles><Particle mass="59.05"/><Particle mass="71.07"/><Particle mass="144.17"/></Particles>
 <Forces>
  <Force cutoff="4" energy="q*1.8*(exp(-1.2*r)/r-0.002); q=q1*q2" type="CustomNonbondedForce">
   <Particles><Particle param1="1"/><Particle param1="0"/><Particle param1="0"/></Particles>
  </Force>
  <Force cutoff="2" energy="0.8*select(step(r-2^(1/6)*s),1,2)" type="CustomNonbondedForce">
   <Exclusions><Exclusion p1="0" p2="1"/><Exclusion p1="1" p2="2"/></Exclusions>
  </Force>
  <Force type="HarmonicBondForce"><Bonds><Bond d=".38" k="8033" p1="0" p2="1"/>
   <Bond d=".39" k="8033" p1="2" p2="1"/></Bonds></Force>
  <Force energy="select(step(r-2^(1/6)*s),n*4,n*5); shift=1" type="CustomBondForce">
   <PerBondParameters><Parameter name="s"/></PerBondParameters>
   <GlobalParameters><Parameter default=".8" name="eps"/></GlobalParameters>
   <Bonds><Bond p1="0" p2="2" param1=".4" param2="1.2" param3="15"/></Bonds></Force>
 </Forces>
</System>
)xml";

TEST(SystemXml, DifferencesAreReported) {
  topology::Topology t;
  for (const double mass_amu : {59.05, 71.07, 144.17}) {
    topology::Residue bead;
    bead.mass_amu = mass_amu;
    t.residues.push_back(bead);
  }
  t.residues.items()[0].charge_e = 1;
  t.bonds = {{0, 1, 0.38, 8033}, {1, 2, 0.38, 8033}};
  t.local_pairs = {{0, 2, 0.4, 12, 1.2}};
  t.exclusions = {{0, 1}, {1, 2}};
  const auto lines = compare_with_system(t, system_text, "s.xml");
  EXPECT_THAT(lines, Contains("masses: 3, largest difference 0"));
  EXPECT_THAT(lines, Contains("charges: 3, largest difference 0"));
  EXPECT_THAT(lines, Contains("bonds and restraints: 2, largest difference 0.026 (beads 2 3)"));
  EXPECT_THAT(lines, Contains("excluded pairs: 2, largest difference 0"));
  EXPECT_THAT(lines, Contains(HasSubstr("stacked and scaled pairs: 1, largest difference")));
  EXPECT_THAT(lines, Not(Contains(HasSubstr("only in the System"))));
  t.bonds.push_back({0, 2, 0.5, 10});
  EXPECT_THAT(compare_with_system(t, system_text, "s.xml"),
              Contains(HasSubstr("; 1 only here, 0 only in the System")));
}

TEST(SystemXml, OtherTextIsRefused) {
  const topology::Topology t;
  for (const char* text : {"", "<State/>", "<System>", "<System><Particle mass=\"x\"/>",
                           "<System><Particle mass=\"1", "<System><Particle mass/>"}) {
    EXPECT_THROW((void)compare_with_system(t, text, "s.xml"), core::InputError) << text;
  }
}

}  // namespace
}  // namespace nfold::calvados
