// NAME.observables.h5: reproducible bytes and atomic replacement.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/observables_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "temporary_folder.hpp"

namespace nfold {
namespace {

using test::read_file;
using test::TemporaryFolder;

io::ObservablesHeader make_header(std::int64_t frames) {
  io::ObservablesHeader header;
  header.creator_version = "test";
  header.frames = frames;
  header.box_nm = {4, 5, 6};
  header.species = {{"tail", 3, {"GLY", "SER"}}, {"ion", 1, {}}};
  return header;
}

const std::vector<io::ObservedTable> results{
    {"sizes/mean", "nm", "a number", {}, {1.5}},
    {"sizes/table", "", "(2, 3) some numbers", {2, 3}, {1, 2, 3, 4, 5, std::nan("")}},
    {"other/none", "nm2", "no lag yet", {0}, {}}};

TEST(ObservablesFile, SameContentsGiveSameBytes) {
  const TemporaryFolder folder;
  io::write_observables(folder / "a.h5", make_header(7), results);
  io::write_observables(folder / "b.h5", make_header(8), results);
  EXPECT_NE(read_file(folder / "a.h5"), read_file(folder / "b.h5"));
  io::write_observables(folder / "b.h5", make_header(7), results);
  EXPECT_EQ(read_file(folder / "a.h5"), read_file(folder / "b.h5"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5.tmp"));
}

TEST(ObservablesFile, FailureKeepsOldFile) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5";
  io::write_observables(path, make_header(7), results);
  const auto before = read_file(path);
  std::filesystem::create_directory(folder / "a.h5.tmp");  // blocks the temporary file
  EXPECT_THROW(io::write_observables(path, make_header(8), results), storage::FileError);
  EXPECT_EQ(read_file(path), before);
  EXPECT_THROW(io::write_observables(folder / "none" / "a.h5", make_header(8), results),
               storage::FileError);
}

}  // namespace
}  // namespace nfold
