// Result rows to text and back, and tables of the existing rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "unit/io/temporary_folder.hpp"

namespace nfold::batch {
namespace {

TEST(ResultRow, RoundTripsThroughLine) {
  ResultRow row;
  row.set("target", "1ubq");
  row.set("verdict", "folded, \"mostly\"");
  row.set("barrier_kt", 1.25);
  const auto back = ResultRow::parse(row.line(results_header), results_header);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->get("target"), "1ubq");
  EXPECT_EQ(back->get("verdict"), "folded, \"mostly\"");
  EXPECT_EQ(back->get("barrier_kt"), "1.25");
  EXPECT_EQ(back->get("folded_fraction"), "");
  EXPECT_EQ(back->line(results_header), row.line(results_header));
}

TEST(ResultRow, HasAsManyFieldsAsItsHeader) {
  for (const auto columns : {results_header, chains_header, phases_header}) {
    EXPECT_TRUE(ResultRow::parse(columns, columns).has_value());
    EXPECT_TRUE(ResultRow::parse(ResultRow().line(columns), columns).has_value());
  }
}

TEST(ResultRow, NonFiniteValuesAreEmpty) {
  ResultRow row;
  row.set("barrier_kt", std::numeric_limits<double>::quiet_NaN());
  row.set("mean_folding_time_ns", std::numeric_limits<double>::infinity());
  EXPECT_EQ(row.line(results_header), ResultRow().line(results_header));
}

TEST(ResultRow, RefusesUnknownColumns) {
  ResultRow row;
  EXPECT_THROW(row.set("barrier", 1.0), std::invalid_argument);
  EXPECT_THROW((void)row.get("Target"), std::invalid_argument);
  EXPECT_FALSE(ResultRow::parse("a,b,c", results_header).has_value());
  const auto line = ResultRow().line(results_header);
  EXPECT_FALSE(ResultRow::parse(line + ",", results_header).has_value());
}

TEST(BatchFolder, HasBegunOnceIncidentsExist) {
  const test::TemporaryFolder folder;
  const BatchFolder batch{folder.path()};
  EXPECT_FALSE(batch.has_begun());
  test::write_file(folder / "mine.incidents.jsonl", "{}");
  EXPECT_FALSE(batch.has_begun());
  test::write_file(folder / "batch.incidents.jsonl", "{}");
  EXPECT_TRUE(batch.has_begun());
}

TEST(ResultRow, KeepsColumnsOfItsFile) {
  const test::TemporaryFolder folder;
  const auto path = folder / "a.result.csv";
  ResultRow row;
  row.set("target", "a");
  row.set("radius_of_gyration_nm", 2.5);
  test::write_file(path, fmt::format("{}\n{}\n", chains_header, row.line(chains_header)));
  const auto back = ResultRow::read(path);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->get("radius_of_gyration_nm"), "2.5");
  EXPECT_EQ(back->get("barrier_kt"), "");
  test::write_file(path, "a,b\n1,2\n");
  EXPECT_FALSE(ResultRow::read(path).has_value());
}

TEST(ReadRow, ReturnsSecondLine) {
  const test::TemporaryFolder folder;
  const auto path = folder / "a.result.csv";
  EXPECT_FALSE(read_row(path).has_value());
  for (const char* torn : {"", "head", "head\n", "head\n\n"}) {
    test::write_file(path, torn);
    EXPECT_FALSE(read_row(path).has_value()) << torn;
  }
  test::write_file(path, "head\n1,2\n3,4\n");
  EXPECT_EQ(read_row(path), "1,2");
}

TEST(WriteTable, SkipsMissingRows) {
  const test::TemporaryFolder folder;
  test::write_file(folder / "a", "head\n1\n");
  test::write_file(folder / "c", "head\n3\n");
  write_table(folder / "table", "head", {folder / "c", folder / "b", folder / "a"});
  EXPECT_EQ(test::read_file(folder / "table"), "head\n3\n1\n");
  write_table(folder / "table", "head", {});
  EXPECT_EQ(test::read_file(folder / "table"), "head\n");
}

TEST(BatchFolder, HasDocumentedPaths) {
  const BatchFolder folder{"list.out"};
  EXPECT_EQ(folder.result("a"), "list.out/a/a.result.csv");
  EXPECT_EQ(folder.failure("a"), "list.out/a/a.failed.csv");
  EXPECT_EQ(folder.tables("a"), "list.out/a/a.h5");
  EXPECT_EQ(folder.attempt("a", 1), "list.out/a");
  EXPECT_EQ(folder.attempt("a", 2), "list.out/a/attempt-2");
}

}  // namespace
}  // namespace nfold::batch
