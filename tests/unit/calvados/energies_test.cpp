// Energies and forces of translated CALVADOS folders against those that the package computed.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cases.hpp"
#include "cli/calvados/prepare_folder.hpp"
#include "comm/communicator.hpp"
#include "core/read_text.hpp"
#include "engine/forces/reference.hpp"
#include "input/input.hpp"
#include "session/setup/system_setup.hpp"

namespace nfold::calvados {
namespace {

/// A case, prepared and built as `nfold energy` builds it.
class Energies : public testing::TestWithParam<std::string> {
 protected:
  Energies() {
    PrepareFolderOptions options;
    options.folder = case_folder(GetParam());
    options.output = folder_ / (GetParam() + ".yaml");
    options.overwrite = true;
    std::ostringstream out;
    prepare_folder(options, out);
    const auto text = core::read_text(options.output).value_or("");
    const auto settings = input::parse_input(text, options.output.string());
    topology_ = setup::build_system(comm::Communicator(), settings, options.output).topology;
    std::ifstream stream(case_folder(GetParam()) / "expected.json");
    expected_ = nlohmann::json::parse(stream);
  }
  ~Energies() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] static std::vector<forces::Vector> positions(const std::string& configuration) {
    std::vector<forces::Vector> x;
    for (const auto& row : read_csv(case_folder(GetParam()) / (configuration + ".csv"))) {
      x.push_back({row.number("x_nm"), row.number("y_nm"), row.number("z_nm")});
    }
    return x;
  }
  /// Sum of the package's energies of some kinds.
  [[nodiscard]] double package(const std::string& configuration,
                               const std::vector<std::string>& kinds) const {
    const auto& all = expected_["configurations"][configuration]["by_kind"];
    double sum = 0;
    for (const auto& kind : kinds) sum += all.value(kind, 0.0);
    return sum;
  }
  /// Tolerance for an energy: the package keeps angles of structures in single precision.
  static double tolerance(double energy) { return 1e-5 + 1e-9 * std::abs(energy); }

  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("calvados-energies-" + GetParam());
  topology::Topology topology_;
  nlohmann::json expected_;
};

TEST_P(Energies, MatchByTerm) {
  for (const std::string configuration : {"start", "moved"}) {
    const auto ours = forces::reference_forces(topology_, positions(configuration));
    const auto expect = [&](double energy, const std::vector<std::string>& kinds) {
      const double theirs = package(configuration, kinds);
      EXPECT_NEAR(energy, theirs, tolerance(theirs)) << configuration << " " << kinds[0];
    };
    expect(ours.bond, {"bond"});
    expect(ours.angle, {"angle"});
    expect(ours.restraint, {"restraint", "custom_restraint", "external", "slab_external"});
    expect(ours.contact, {"go", "scaled_ashbaugh_hatch", "scaled_debye_hueckel", "stacking"});
    expect(ours.short_range, {"ashbaugh_hatch"});
    expect(ours.electrostatic, {"debye_hueckel"});
  }
}

TEST_P(Energies, ForcesMatch) {
  for (const std::string configuration : {"start", "moved"}) {
    const auto ours = forces::reference_forces(topology_, positions(configuration));
    double squared = 0, weighted = 0;
    std::size_t n = 0;
    for (const auto& force : ours.force) {
      for (const double f : force) {
        squared += f * f;
        constexpr std::size_t period = 97;
        weighted += f * static_cast<double>(n % period + 1);
        ++n;
      }
    }
    const auto& theirs = expected_["configurations"][configuration]["forces"];
    const double norm = theirs["norm"];
    EXPECT_NEAR(std::sqrt(squared), norm, 1e-7 * norm);
    EXPECT_NEAR(weighted, theirs["weighted_sum"].get<double>(), 1e-7 * 97 * norm);
    for (const auto& sample : theirs["samples"]) {
      const auto bead = sample["bead"].get<std::size_t>();
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(ours.force[bead][axis], sample["force"][axis].get<double>(), 1e-7 * norm);
      }
    }
  }
}

TEST_P(Energies, BeadsMatch) {
  const auto rows = read_csv(case_folder(GetParam()) / "beads.csv");
  ASSERT_EQ(topology_.residues.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const topology::Residue bead = topology_.residues[i];
    EXPECT_NEAR(bead.mass_amu, rows[i].number("mass_amu"), 1e-9) << i;
    EXPECT_NEAR(bead.charge_e, rows[i].number("charge_e"), 1e-11) << i;
  }
}

TEST_P(Energies, ExclusionsMatch) {
  std::int64_t checksum = 0;
  for (const auto& [i, j] : topology_.exclusions) {
    checksum += static_cast<std::int64_t>(i + 1) * (j + 1);
  }
  EXPECT_EQ(topology_.exclusions.size(), expected_["exclusions"].get<std::size_t>());
  EXPECT_EQ(checksum, expected_["exclusion_checksum"].get<std::int64_t>());
}

INSTANTIATE_TEST_SUITE_P(Calvados, Energies, testing::ValuesIn(case_names), [](const auto& one) {
  std::string name = one.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace nfold::calvados
