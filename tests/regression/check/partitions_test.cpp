// nfold check --partitions as a user calls it: methods, nodes, unequal devices.
// SPDX-License-Identifier: BSD-3-Clause

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "check_fixture.hpp"

namespace nfold::cli {
namespace {

using testing::HasSubstr;

/// Lines of a partition table with this method.
std::vector<std::string> method_rows(const std::string& out, const std::string& method) {
  std::vector<std::string> rows;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(' ' + method + ' ') != std::string::npos) rows.push_back(line);
  }
  return rows;
}

TEST_F(Check, ComparesPartitionMethods) {
  const auto answer = call({"check", example, "--partitions"});
  EXPECT_EQ(answer.exit_code, core::ExitCode::done) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("partitions on 2 ranks"));
  EXPECT_THAT(answer.out, HasSubstr("partitions on 4 ranks"));
  int taken = 0;
  for (const char* const method :
       {"residue-ranges", "recursive-bisection", "hilbert-curve", "clusters", "domains"}) {
    const auto rows = method_rows(answer.out, method);
    ASSERT_EQ(rows.size(), 2u) << method;
    for (const auto& row : rows) {
      taken += row.find("> ") != std::string::npos ? 1 : 0;
      EXPECT_THAT(row, testing::ContainsRegex(" [1-9][0-9]* \\([0-9.]+ %\\) "));
    }
  }
  EXPECT_EQ(taken, 2);
  const auto one = call({"check", example, "--partitions", "1"});
  EXPECT_THAT(one.out, testing::ContainsRegex("clusters +0 \\(0.0 %\\) +0 +0 +1.000 .* 1.00\n"));
  EXPECT_THAT(call({"check", example, "--partitions", "3,8"}).out, HasSubstr("on 8 ranks"));
  EXPECT_FALSE(fs::exists(output));
}

/// Number of cut native contacts in the table's row, -1 if there is not exactly one row.
int contacts_cut(const std::string& out, const std::string& method) {
  const auto rows = method_rows(out, method);
  if (rows.size() != 1) return -1;
  return std::stoi(rows.front().substr(rows.front().find(method) + method.size()));
}

TEST_F(Check, ClustersCutAtMostHalfTheContactsOfRanges) {
  const std::string structures = NFOLD_SOURCE_DIR "/input/structures/";
  for (const char* const name : {"2xhe.cif.gz", "7cfn.cif.gz", "1tii.pdb.gz", "1a0q.pdb.gz",
                                 "dehydrogenase_5mdh_B.pdb.gz"}) {
    const auto answer = call({"check", example, "--partitions", "2", "--set", "start.from=native",
                              "--set", "force_field.contacts.cutoff_nm=0.8", "--set",
                              "system.structure=" + structures + name});
    ASSERT_EQ(answer.exit_code, core::ExitCode::done) << answer.err;
    const int clusters = contacts_cut(answer.out, "clusters");
    EXPECT_GT(clusters, 0) << answer.out;
    EXPECT_LE(2 * clusters, contacts_cut(answer.out, "residue-ranges")) << answer.out;
  }
}

TEST_F(Check, WritesTablesOfPartitionPicture) {
  const auto answer = call({"check", example, "--partitions", "3", "--output", output});
  EXPECT_EQ(answer.exit_code, core::ExitCode::done) << answer.err;
  const auto read_text = [&](const char* name) {
    std::ostringstream text;
    text << std::ifstream(fs::path(output) / name).rdbuf();
    return text.str();
  };
  EXPECT_EQ(line_count(read_text("owners.csv")), 1 + 76);
  EXPECT_THAT(read_text("owners.csv"), HasSubstr(",residue-ranges:3,recursive-bisection:3,"));
  EXPECT_THAT(read_text("partitions.csv"), HasSubstr("\n3,clusters,"));
  EXPECT_GT(line_count(read_text("contacts.csv")), 76);
}

TEST_F(Check, ShowsWhatCrossesNodes) {
  const auto answer = call({"check", example, "--partitions", "6", "--nodes", "3", "--json"});
  ASSERT_EQ(answer.exit_code, core::ExitCode::done) << answer.err;
  const auto json = nlohmann::json::parse(answer.out).at("partitions").at(0);
  EXPECT_EQ(json.at("nodes"), 3);
  for (const auto& one : json.at("methods")) {
    const auto rows = one.at("between_nodes").at("rows").get<int>();
    EXPECT_GT(rows, 0);
    EXPECT_EQ(rows + one.at("within_nodes").at("rows").get<int>(), one.at("ghosts"));
    EXPECT_EQ(one.at("between_nodes").at("bytes"), 12 * rows);
    EXPECT_LE(one.at("within_nodes").at("peers"), 1);
    EXPECT_LE(one.at("between_nodes").at("peers"), 4);
    EXPECT_EQ(one.at("ranks").at(5).at("node"), 2);
  }
  EXPECT_THAT(call({"check", example, "--partitions", "6", "--nodes", "3"}).out,
              testing::ContainsRegex("cores of 3 nodes.* between nodes +peers"));
  const auto by_key = call(
      {"check", example, "--partitions", "6", "--set", "partition.ranks_per_node=2", "--json"});
  EXPECT_EQ(nlohmann::json::parse(by_key.out).at("partitions").at(0), json);
  EXPECT_THAT(call({"check", example, "--partitions", "2", "--nodes", "3"}).err,
              HasSubstr("3 nodes for 2 ranks"));
}

TEST_F(Check, ShowsSharesOfUnequalDevices) {
  const auto answer = call({"check", example, "--partitions", "--speeds", "100,100,50"});
  EXPECT_EQ(answer.exit_code, core::ExitCode::done) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("partitions on 3 ranks"));
  EXPECT_THAT(answer.out,
              testing::ContainsRegex("rank +node +speed +residues.* 2 +0 +0.600 +1[0-9] "));
  EXPECT_THAT(call({"check", example, "--partitions", "2", "--speeds", "1,1,2"}).err,
              HasSubstr("3 speeds for 2 ranks"));
  EXPECT_THAT(call({"check", example, "--partitions", "2", "--speeds", "1,0"}).err,
              HasSubstr("--speeds"));
}

TEST_F(Check, RefusesImpossiblePartitions) {
  const auto unknown = call({"check", example, "--set", "partition.domains=[\"Z:1-9\"]"});
  EXPECT_EQ(unknown.exit_code, core::ExitCode::wrong_input);
  EXPECT_THAT(unknown.err, HasSubstr("no chain 'Z'"));
  EXPECT_THAT(call({"check", example, "--set", "partition.domains=[\"1-9\"]", "--set",
                    "partition.method=clusters"})
                  .err,
              HasSubstr("partition.domains beside a method that does not read it"));
  EXPECT_THAT(call({"check", example, "--partitions", "65"}).err, HasSubstr("1 to 64"));
  EXPECT_THAT(call({"check", example, "--partitions", "--memory"}).err, HasSubstr("--memory"));
  const auto ensemble =
      call({"check", NFOLD_SOURCE_DIR "/input/ubiquitin-exchange.yaml", "--partitions"});
  EXPECT_EQ(ensemble.exit_code, core::ExitCode::wrong_input);
  EXPECT_THAT(ensemble.err, HasSubstr("an ensemble shares out replicas"));
}

}  // namespace
}  // namespace nfold::cli
