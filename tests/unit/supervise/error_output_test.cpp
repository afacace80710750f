// Parsed error output of mpirun, srun and nfold.
// SPDX-License-Identifier: BSD-3-Clause
#include "supervise/error_output.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace nfold::supervise {
namespace {

ErrorOutput parse_output(const std::string& text) {
  ErrorOutputReader reader;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) reader.read(line);
  return reader.words();
}

// Open MPI 4.1.4 after kill -9 of a rank.
TEST(ErrorOutput, FindsDeadRankOfOpenMpi) {
  const auto words = parse_output(
      "--------------------------------------------------------------------------\n"
      "Primary job  terminated normally, but 1 process returned\n"
      "a non-zero exit code. Per user-direction, the job has been aborted.\n"
      "--------------------------------------------------------------------------\n"
      "mpirun noticed that process rank 2 with PID 77 on node n07 exited on signal 9 (Killed).\n");
  EXPECT_EQ(words.rank, 2);
  EXPECT_EQ(words.host, "n07");
  EXPECT_EQ(words.signal, 9);
  EXPECT_EQ(words.last_lines.size(), 3U) << "rules are no words";
}

TEST(ErrorOutput, FindsExitCodeOfOpenMpi) {
  const auto words = parse_output(
      "mpirun detected that one or more processes exited with non-zero status, thus causing\n"
      "the job to be terminated. The first process to do so was:\n\n"
      "  Process name: [[12412,1],3]\n"
      "  Exit code:    75\n");
  EXPECT_EQ(words.rank, 3);
  EXPECT_EQ(words.exit_code, 75);
  EXPECT_FALSE(words.signal);
}

// Open MPI 5.
TEST(ErrorOutput, FindsDeadRankOfPrterun) {
  const auto words = parse_output(
      "prterun noticed that process rank 12 with PID 5 on node gpu-1.cluster exited on signal 11 "
      "(Segmentation fault).\n"
      "   Process name: [prterun-login-2211@1,4]\n");
  EXPECT_EQ(words.rank, 12);
  EXPECT_EQ(words.host, "gpu-1.cluster");
  EXPECT_EQ(words.signal, 11);
}

TEST(ErrorOutput, FindsLostNode) {
  EXPECT_EQ(parse_output("ORTE has lost communication with a remote daemon.\n\n"
                         "  HNP daemon   : [[14170,0],0] on node n01\n"
                         "  Remote daemon: [[14170,0],1] on node n02\n")
                .lost_host,
            "n02");
  EXPECT_EQ(parse_output("ssh: connect to host n03 port 22: No route to host\n").lost_host, "n03");
  EXPECT_EQ(parse_output("srun: error: Node failure on n04\n").lost_host, "n04");
}

TEST(ErrorOutput, FindsRefusedStart) {
  EXPECT_NE(parse_output("There are not enough slots available in the system to satisfy the 9\n"
                         "slots that were requested by the application:\n")
                .not_started.find("not enough slots"),
            std::string::npos);
}

TEST(ErrorOutput, FindsTasksOfSlurm) {
  const auto killed = parse_output("srun: error: node017: task 2: Killed\n");
  EXPECT_EQ(killed.rank, 2);
  EXPECT_EQ(killed.host, "node017");
  EXPECT_EQ(killed.signal, 9);
  const auto ended = parse_output("srun: error: node018: tasks 4-7: Exited with exit code 3\n");
  EXPECT_EQ(ended.rank, 4);
  EXPECT_EQ(ended.exit_code, 3);
}

TEST(ErrorOutput, FindsHostOfHydra) {
  const auto words = parse_output(
      "===================================================================================\n"
      "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n"
      "=   PID 4242 RUNNING AT n09\n"
      "=   EXIT CODE: 9\n");
  EXPECT_EQ(words.host, "n09");
  EXPECT_EQ(words.exit_code, 9);
}

TEST(ErrorOutput, TakesFirstErrorOfNfold) {
  const auto words = parse_output(
      "nfold: error: rank 1: out of GPU memory: array 'ghosts' asks for 4 GiB\n"
      "nfold: outcome: memory\n"
      "nfold: error: rank 2: other\n"
      "nfold: outcome: failure\n");
  EXPECT_EQ(words.error, "rank 1: out of GPU memory: array 'ghosts' asks for 4 GiB");
  EXPECT_EQ(words.rank, 1);
  EXPECT_EQ(words.outcome, core::Outcome::memory);
  EXPECT_EQ(words.last_lines.size(), 2U) << "outcomes are for launch alone";
  // A rank that waits is not the culprit.
  EXPECT_FALSE(parse_output("nfold: error: rank 1 waited 3 s for other ranks in a sum\n").rank);
}

TEST(ErrorOutput, KeepsLastLinesOnly) {
  std::string text;
  for (int k = 0; k < 100; ++k) text += "line " + std::to_string(k) + "\n";
  const auto words = parse_output(text);
  EXPECT_EQ(words.last_lines.size(), ErrorOutputReader::kept_lines);
  EXPECT_EQ(words.last_lines.back(), "line 99");
}

}  // namespace
}  // namespace nfold::supervise
