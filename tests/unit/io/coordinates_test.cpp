// Coordinate files CSV, GRO and DCD: values, round trips, and each way to be malformed.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/input_error.hpp"
#include "io/coordinate_text.hpp"
#include "io/dcd.hpp"
#include "io/dcd_reader.hpp"
#include "io/forces_file.hpp"
#include "temporary_folder.hpp"

namespace nfold {
namespace {

using io::DcdReader;
using io::DcdWriter;
using io::GroFile;
using system::BeadFrame;
using test::read_file;
using test::TemporaryFolder;
using test::write_file;
using testing::HasSubstr;
using Points = std::vector<std::array<double, 3>>;

template <class Read>
std::string message_of(const Read& read) {
  try {
    read();
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CoordinateCsv, ReadsRowsWithAndWithoutHeading) {
  const Points expected{{1, -2.5, 3e-3}, {0.125, 0, 7}};
  for (const std::string heading : {"", "x,y,z\n", "x_nm,y_nm,z_nm\n", "X_NM , Y_nm,z_nm\r\n",
                                    "\xef\xbb\xbfx,y,z\n", "# nm\n"}) {
    const auto frame =
        io::parse_coordinate_csv(heading + "1,-2.5,3e-3\r\n\n# a bead\n 0.125 ,0, 7", "a.csv");
    EXPECT_EQ(frame.positions_nm, expected) << heading;
    EXPECT_TRUE(frame.residue_names.empty());
    EXPECT_EQ(frame.box_nm, (std::array<double, 3>{}));
  }
}

struct Malformed {
  std::string text, place, problem;
};

TEST(CoordinateCsv, RefusesMalformedRows) {
  for (const auto& [text, place, problem] : std::vector<Malformed>{
           {"", "a.csv:1", "there is no bead"},
           {"# nothing\n\n", "a.csv:2", "there is no bead"},
           {"x,y,z\n", "a.csv:1", "there is no bead"},
           {"x_angstrom,y_angstrom,z_angstrom\n1,2,3\n", "a.csv:1", "the first row is"},
           {"a,b\n1,2,3\n", "a.csv:1", "expected x,y,z"},
           {"1,2,3\nx,y,z\n", "a.csv:2", "x of bead 2 is 'x'"},
           {"1,2\n", "a.csv:1", "2 fields"},
           {"1,2,3,4\n", "a.csv:1", "4 fields"},
           {"1;2;3\n", "a.csv:1", "the first row is"},
           {"1,2,3\n4,nan,6\n", "a.csv:2", "y of bead 2 is 'nan'"},
           {"1,2,inf\n", "a.csv:1", "z of bead 1 is 'inf'"},
           {"1,2,1e400\n", "a.csv:1", "z of bead 1 is '1e400'"},
           {"1,2,1e6\n", "a.csv:1", "at most 100000 nm"},
           {"1,2,3x\n", "a.csv:1", "z of bead 1 is '3x'"},
           {"1,,3\n", "a.csv:1", "y of bead 1 is ''"},
           {std::string("1,2,\0\n", 6), "a.csv:1", "z of bead 1 is '?'"}}) {
    const auto found =
        message_of([&text = text] { (void)io::parse_coordinate_csv(text, "a.csv"); });
    EXPECT_THAT(found, HasSubstr(place + ": ")) << text;
    EXPECT_THAT(found, HasSubstr(problem)) << text;
  }
}

// The second frame of GROMACS' manual, section "gro", with water as beads, and with velocities.
const std::string gro_frame =
    "MD of 2 waters, t= 0.0\n"
    "    2\n"
    "    1WATER  OW1    1   0.126   1.624   1.679  0.1227 -0.0580  0.0434\n"
    "    2ALA     CA    2  -0.190  11.661   1.747  0.8085  0.3191 -0.7791\n"
    "   1.82060   1.82060   2.50000\n";

TEST(Gro, ReadsFrames) {
  const GroFile gro(gro_frame + gro_frame + "\n", "a.gro");
  ASSERT_EQ(gro.frame_count(), 2);
  for (const std::int64_t index : {0, 1}) {
    const auto frame = gro.frame(index);
    EXPECT_EQ(frame.positions_nm, (Points{{0.126, 1.624, 1.679}, {-0.190, 11.661, 1.747}}));
    EXPECT_EQ(frame.residue_names, (std::vector<std::string>{"WATER", "ALA"}));
    EXPECT_EQ(frame.box_nm, (std::array<double, 3>{1.8206, 1.8206, 2.5}));
  }
}

TEST(Gro, ReadsColumnsOfAnyPrecision) {
  const GroFile gro(
      "six digits\r\n1\r\n    1ALA     CA    1   1.123456  -2.654321 103.000001\r\n0 0 0\r\n",
      "a.gro");
  EXPECT_EQ(gro.frame(0).positions_nm, (Points{{1.123456, -2.654321, 103.000001}}));
  EXPECT_EQ(gro.frame(0).box_nm, (std::array<double, 3>{}));
}

TEST(Gro, RefusesMalformedFrames) {
  const std::string bead = "    1ALA     CA    1   0.126   1.624   1.679\n";
  for (const auto& [text, place, problem] : std::vector<Malformed>{
           {"", "a.gro:1", "the file is empty"},
           {"\n\n", "a.gro:1", "the file is empty"},
           {"title\n", "a.gro:1", "number of beads is ''"},
           {"title\nmany\n", "a.gro:2", "number of beads is 'many'"},
           {"title\n0\n1 1 1\n", "a.gro:2", "number of beads is '0'"},
           {"title\n-1\n1 1 1\n", "a.gro:2", "number of beads is '-1'"},
           {"title\n99999999999\n" + bead + "1 1 1\n", "a.gro:4", "ends within frame 0, after 2"},
           {"title\n2\n" + bead + bead, "a.gro:4", "ends within frame 0, after 2 of 3"},
           {"title\n1\n    1ALA     CA    1 0.126 1.624\n1 1 1\n", "a.gro:3", "has 32 columns"},
           {"title\n1\nshort\n1 1 1\n", "a.gro:3", "has no coordinates"},
           {"title\n1\n    1ALA     CA    1   0.126   1.6x4   1.679\n1 1 1\n", "a.gro:3",
            "y of bead 1 is '1.6x4'"},
           {"title\n1\n    1ALA     CA    1   0.126     nan   1.679\n1 1 1\n", "a.gro:3", ""},
           {"title\n2\n" + bead + "    1ALA     CA    1   0.126     nan   1.679\n1 1 1\n",
            "a.gro:4", "y of bead 2 is 'nan'"},
           {"title\n2\n" + bead + "    1ALA     CA    2   0.126\n1 1 1\n", "a.gro:4", "columns"},
           {"title\n1\n" + bead + "1 1\n", "a.gro:4", "the box has 2 numbers"},
           {"title\n1\n" + bead + "1 1 1 0 0 0.5 0 0 0\n", "a.gro:4", "triclinic"},
           {"title\n1\n" + bead + "1 1 -1\n", "a.gro:4", "the box is '1 1 -1'"},
           {"title\n1\n" + bead + "1 one 1\n", "a.gro:4", "the box is 'one'"}}) {
    const auto found = message_of([&text = text] { (void)GroFile(text, "a.gro").frame(0); });
    EXPECT_THAT(found, HasSubstr(place + ": ")) << text;
    EXPECT_THAT(found, HasSubstr(problem)) << text;
  }
}

/// Three beads of a frame, in multiples of 2^-10 nm.
std::vector<std::array<float, 3>> dcd_positions(int frame) {
  std::vector<std::array<float, 3>> x(3);
  for (std::size_t bead = 0; bead < 3; ++bead) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      x[bead][axis] = static_cast<float>(frame) + 0.25F * static_cast<float>(bead) -
                      0.125F * static_cast<float>(axis);
    }
  }
  return x;
}

std::filesystem::path write_dcd(const TemporaryFolder& folder,
                                const std::array<double, 3>& box_nm) {
  auto path = folder / "a.dcd";
  DcdWriter dcd(path, 3, {}, box_nm);
  for (int frame = 0; frame < 4; ++frame) dcd.append_frame(dcd_positions(frame));
  return path;
}

TEST(DcdReader, ReadsFramesOfWriter) {
  for (const std::array<double, 3> box_nm : {std::array<double, 3>{}, {4, 5.5, 12.25}}) {
    const TemporaryFolder folder;
    const DcdReader dcd(write_dcd(folder, box_nm));
    ASSERT_EQ(dcd.frame_count(), 4);
    for (const int index : {3, 0, 2}) {
      const auto frame = dcd.frame(index);
      ASSERT_EQ(frame.positions_nm.size(), 3U);
      for (std::size_t bead = 0; bead < 3; ++bead) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          EXPECT_NEAR(frame.positions_nm[bead][axis], dcd_positions(index)[bead][axis], 1e-6);
        }
      }
      EXPECT_EQ(frame.box_nm, box_nm);
    }
  }
}

TEST(DcdReader, IgnoresIncompleteLastFrame) {
  const TemporaryFolder folder;
  const auto path = write_dcd(folder, {});
  auto bytes = read_file(path);
  bytes.pop_back();
  write_file(path, bytes);
  EXPECT_EQ(DcdReader(path).frame_count(), 3);
}

TEST(DcdReader, ReadsXplorHeader) {
  // X-PLOR has version 0, and a 64-bit time step over the place of CHARMM's flag of a cell.
  const TemporaryFolder folder;
  const auto path = write_dcd(folder, {});
  auto bytes = read_file(path);
  const double time_step = 1;
  std::memcpy(bytes.data() + 8 + 9 * 4, &time_step, sizeof time_step);
  std::memset(bytes.data() + 8 + 19 * 4, 0, 4);
  write_file(path, bytes);
  const DcdReader dcd(path);
  EXPECT_EQ(dcd.frame_count(), 4);
  EXPECT_NEAR(dcd.frame(3).positions_nm[2][0], 3.5, 1e-6);
}

TEST(DcdReader, RefusesDamagedFiles) {
  constexpr std::size_t header_bytes = 196, cell_bytes = 56;
  const auto with_int = [](std::size_t offset, std::int32_t value) {
    return [offset, value](std::string& bytes) { std::memcpy(bytes.data() + offset, &value, 4); };
  };
  const auto with_double = [](std::size_t offset, double value) {
    return [offset, value](std::string& bytes) { std::memcpy(bytes.data() + offset, &value, 8); };
  };
  struct Damage {
    std::string problem;
    std::function<void(std::string&)> change;
  };
  const std::vector<Damage> damages{
      {"does not begin with the record CORD", [](std::string& bytes) { bytes.clear(); }},
      {"does not begin with the record CORD", [](std::string& bytes) { bytes[4] = 'V'; }},
      {"big-endian", [](std::string& bytes) { std::swap(bytes[0], bytes[3]); }},
      {"ends in the record of control numbers", [](std::string& bytes) { bytes.resize(60); }},
      {"ends in the record of titles", [](std::string& bytes) { bytes.resize(120); }},
      {"begins with the length 84 and ends with 85", with_int(88, 85)},
      {"the record of titles has -84 bytes", with_int(92, -84)},
      {"the number of beads is 0", with_int(188, 0)},
      {"2 beads are fixed", with_int(8 + 8 * 4, 2)},
      {"the record of x has 13 bytes", with_int(header_bytes + cell_bytes, 13)},
      {"x of bead 2 is nan nm",
       [](std::string& bytes) {
         const float nan = std::numeric_limits<float>::quiet_NaN();
         std::memcpy(bytes.data() + header_bytes + cell_bytes + 8, &nan, 4);
       }},
      {"an angle of the cell is 60", with_double(header_bytes + 4 + 8, 60)},
      {"an edge of the cell is -4", with_double(header_bytes + 4, -4)},
      {"an edge of the cell is nan", with_double(header_bytes + 4, std::nan(""))}};
  for (const auto& [problem, change] : damages) {
    const TemporaryFolder folder;
    const auto path = write_dcd(folder, {4, 5, 6});
    auto bytes = read_file(path);
    change(bytes);
    write_file(path, bytes);
    EXPECT_THAT(message_of([&] { (void)DcdReader(path).frame(0); }),
                testing::AllOf(HasSubstr("a.dcd: "), HasSubstr(problem)));
  }
}

TEST(ForcesFile, CsvHasRowForEachBead) {
  EXPECT_EQ(io::forces_csv({{0, 5}, 2, {{1, 2, 3}, {0.1, 0, -1}, {4, 5, 6}, {7, 8, 9.5}}}),
            "frame,bead,force_x_kj_mol_nm,force_y_kj_mol_nm,force_z_kj_mol_nm\n"
            "0,1,1,2,3\n0,2,0.1,0,-1\n5,1,4,5,6\n5,2,7,8,9.5\n");
}

}  // namespace
}  // namespace nfold
