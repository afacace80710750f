// nfold check --memory as a user calls it: tables, placement on a machine's GPUs, JSON.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "check_fixture.hpp"

namespace nfold::cli {
namespace {

using testing::HasSubstr;
using CheckMemory = Check;

/// Returns the last number of bytes in the row with this name. -1 if there is no such row, 0 if it
/// has no bytes.
double row_bytes(const std::string& out, const std::string& row) {
  const auto at = out.find("  " + row);
  if (at == std::string::npos) return -1;
  std::istringstream fields(
      out.substr(at + 2 + row.size(), out.find('\n', at) - at - row.size() - 2));
  std::vector<std::string> all;
  for (std::string field; fields >> field;) all.push_back(field);
  for (std::size_t k = 1; k < all.size(); ++k) {
    double scale = 1;
    for (const char* const unit : {"B", "KiB", "MiB", "GiB", "TiB"}) {
      if (all[k] == unit) return std::stod(all[k - 1]) * scale;
      scale *= 1024;
    }
  }
  return 0;
}

const char* const chains = R"(
system:
  species:
    - {name: linker, sequence: GSGSGSEKGSGSGSDRGSGSGSFYGSGSGS, copies: COPIES}
  concentration_mg_per_ml: 50
force_field: {model: calvados2}
dynamics: {steps: 100}
)";
std::string chains_input(const std::string& copies) {
  std::string text = chains;
  return text.replace(text.find("COPIES"), 6, copies);
}

TEST_F(CheckMemory, PrintsMemoryOfEachRank) {
  const auto input = write("chains.yaml", chains_input("500"));
  const auto one = call({"check", input, "--memory"});
  EXPECT_EQ(one.exit_code, core::ExitCode::done) << one.err;
  for (const char* const row : {"state", "terms", "exclusions", "lists", "topology", "files",
                                "halo plan", "total", "free on this host"}) {
    EXPECT_THAT(one.out, HasSubstr(std::string("  ") + row));
  }
  EXPECT_THAT(one.out, testing::Not(HasSubstr("warning")));
  const auto four = call({"check", input, "--memory", "--ranks", "4"});
  EXPECT_THAT(four.out, HasSubstr("memory of each of 4 ranks"));
  EXPECT_THAT(four.out, HasSubstr("exchange"));
  const double one_rank_bytes = row_bytes(one.out, "state"),
               four_rank_bytes = row_bytes(four.out, "state");
  EXPECT_GT(four_rank_bytes, one_rank_bytes / 4.1);  // ghosts have coordinates too
  EXPECT_LT(four_rank_bytes, one_rank_bytes / 2);
  EXPECT_THAT(call({"check", input, "--ranks", "4"}).err, HasSubstr("--memory"));
}

TEST_F(CheckMemory, EstimatesMemoryOfLargeSystemFromPart) {
  const auto small = call({"check", write("small.yaml", chains_input("5000")), "--memory"});
  const auto large = call({"check", write("large.yaml", chains_input("2000000")), "--memory"});
  EXPECT_EQ(large.exit_code, core::ExitCode::done) << large.err;
  EXPECT_THAT(small.out, HasSubstr("150000 residues"));
  EXPECT_THAT(large.out, HasSubstr("60000000 residues, planned by 20010 of them"));
  for (const char* const row : {"state", "terms", "exclusions", "lists", "topology"}) {
    const double small_bytes = 400 * row_bytes(small.out, row),
                 large_bytes = row_bytes(large.out, row);
    EXPECT_GT(small_bytes, 0) << row;
    EXPECT_NEAR(large_bytes, small_bytes, 0.05 * small_bytes) << row;
  }
}

TEST_F(CheckMemory, SuggestsRemedyIfMemoryIsShort) {
  const auto input = write("chains.yaml", chains_input("5000"));
  const auto answer = call({"check", input, "--memory", "--set", "devices.memory_limit_gb=0.05"});
  EXPECT_EQ(answer.exit_code, core::ExitCode::wrong_input) << "as run refuses it";
  EXPECT_THAT(answer.err, HasSubstr("47.7 MiB that devices.memory_limit_gb allows"));
  const auto plain = call({"check", input, "--device-memory", "50MB", "--output", output});
  EXPECT_EQ(plain.exit_code, core::ExitCode::wrong_input);
  EXPECT_THAT(plain.err, HasSubstr("47.7 MiB that --device-memory allows"));
  EXPECT_THAT(answer.out, testing::ContainsRegex("warning: .* are more than the 47.7 MiB that "
                                                 "devices.memory_limit_gb allows"));
  EXPECT_THAT(answer.out, testing::ContainsRegex("at most about [0-9]+ of 150000 residues fit on 1 "
                                                 "rank; use [0-9]+ ranks or more"));
  EXPECT_THAT(answer.out, HasSubstr("neighbour_list.skin_nm"));
}

TEST_F(CheckMemory, PrintsMemoryAndPartitionsOfEachTarget) {
  const auto list =
      write("list.yaml", "targets:\n- {input_file: " + example +
                             ", protocol: run}\n- {structure: " + std::string(NFOLD_SOURCE_DIR) +
                             "/input/structures/1ubq.pdb.gz, name: folds}\n");
  const auto memory = call({"check", list, "--memory"});
  EXPECT_EQ(memory.exit_code, core::ExitCode::done) << memory.err;
  EXPECT_THAT(memory.out, HasSubstr("target 'ubiquitin'"));
  EXPECT_THAT(memory.out, HasSubstr("target 'folds'"));
  const auto partitions = call({"check", list, "--partitions"});
  EXPECT_THAT(partitions.out, HasSubstr("partitions on 2 ranks"));
  EXPECT_THAT(partitions.err, HasSubstr("target 'folds': "));
  const auto json = call({"check", list, "--memory", "--json"});
  EXPECT_THAT(json.out, HasSubstr("\"can_run\": true"));
}

TEST_F(CheckMemory, PrintsMemoryOfEnsemble) {
  const auto answer =
      call({"check", NFOLD_SOURCE_DIR "/input/ubiquitin-exchange.yaml", "--memory"});
  EXPECT_EQ(answer.exit_code, core::ExitCode::done) << answer.err;
  for (const char* const row : {"resident tables", "replicas", "topology", "total"}) {
    EXPECT_THAT(answer.out, HasSubstr(std::string("  ") + row));
  }
}

TEST_F(CheckMemory, PlacesArraysOnGpusOfAMachine) {
  const auto input = write("chains.yaml", chains_input("1000"));
  const std::vector<std::string> arguments{"check", input,     "--memory", "--machine",
                                           "h200",  "--ranks", "2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), arguments.begin(), arguments.end());
    return call(more);
  };
  const auto free = with({});
  EXPECT_EQ(free.exit_code, core::ExitCode::done) << free.err;
  EXPECT_THAT(free.out, HasSubstr("on the GPU"));
  EXPECT_THAT(free.out, HasSubstr("order in which arrays move to host memory"));
  EXPECT_THAT(free.out, testing::ContainsRegex("1 +checkpoint copies +[0-9.]+ [KM]iB"));
  EXPECT_THAT(free.out, testing::EndsWith(
                            "the smallest number of GPUs of h200 that needs no such step is 1\n"));
  const auto ranks = nlohmann::json::parse(with({"--json"}).out)["memory"][0]["ranks"];
  ASSERT_EQ(ranks.size(), 2);
  // A twentieth is kept for errors of the estimate.
  const auto needed = std::max(ranks[0]["needed_device_bytes"].get<std::int64_t>(),
                               ranks[1]["needed_device_bytes"].get<std::int64_t>());
  const auto limit = std::to_string(needed + needed / 20 - 1);
  const auto short_text = with({"--device-memory", limit});
  EXPECT_EQ(short_text.exit_code, core::ExitCode::done) << short_text.err;
  EXPECT_THAT(short_text.out, testing::ContainsRegex(" checkpoint copies +spare buffers"));
  const auto json = nlohmann::json::parse(with({"--device-memory", limit, "--json"}).out);
  const auto& memory = json["memory"][0];
  EXPECT_EQ(memory["machine"], "h200");
  EXPECT_GE(memory["smallest_gpu_count"], 2);
  EXPECT_EQ(memory["order"][0]["use"], "checkpoint copies");
  EXPECT_THAT(memory["ranks"].dump(), HasSubstr("\"moved\":[\"checkpoint copies\"]"));
}

TEST_F(CheckMemory, PlacesArraysOfAnEnsemble) {
  const auto answer = call({"check", NFOLD_SOURCE_DIR "/input/ubiquitin-exchange.yaml", "--memory",
                            "--machine", "rtx4060", "--device-memory", "10kB", "--json", "--set",
                            "ensemble.analysis.phase_locking=true"});
  const auto rank = nlohmann::json::parse(answer.out)["memory"][0]["ranks"][0];
  EXPECT_EQ(rank["fits"], false);
  EXPECT_EQ(rank["moved"], nlohmann::json({"samples", "accumulators", "contact maps", "phase rows",
                                           "spare buffers"}));
}

TEST_F(CheckMemory, RefusesMemoryOfAMachineWithoutGpus) {
  const auto input = write("chains.yaml", chains_input("500"));
  const auto answer = call({"check", input, "--memory", "--machine", "cpu-node"});
  EXPECT_EQ(answer.exit_code, core::ExitCode::wrong_input);
  EXPECT_THAT(answer.err, HasSubstr("has no GPU"));
  EXPECT_THAT(call({"check", input, "--machine", "h200"}).err, HasSubstr("--memory"));
}

}  // namespace
}  // namespace nfold::cli
