// Result files that a user names: checks and writing.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/job/result_files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "core/input_error.hpp"

namespace nfold::job {
namespace {

namespace fs = std::filesystem;

class ResultFiles : public testing::Test {
 protected:
  ResultFiles() { fs::create_directories(folder_); }
  ~ResultFiles() override { fs::remove_all(folder_); }

  /// Message of the refusal. Empty if the file may be written.
  [[nodiscard]] std::string refusal(const std::string& file, Overwrite overwrite = Overwrite::no,
                                    const std::vector<fs::path>& inputs = {}) const {
    try {
      require_writable(std::array{ResultFile{"--csv", folder_ / file}}, overwrite, inputs);
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "";
  }
  void put(const std::string& file) const { std::ofstream(folder_ / file) << "before"; }
  [[nodiscard]] std::string text(const std::string& file) const {
    std::ifstream stream(folder_ / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  const fs::path folder_ = fs::temp_directory_path() / ("nfold_results" + std::to_string(getpid()));
};

TEST_F(ResultFiles, AreReplacedByOverwriteOnly) {
  EXPECT_EQ(refusal("a.csv"), "");
  put("a.csv");
  EXPECT_NE(refusal("a.csv").find("--overwrite"), std::string::npos);
  EXPECT_EQ(refusal("a.csv", Overwrite::yes), "");
  write_result(folder_ / "a.csv", "after");
  EXPECT_EQ(text("a.csv"), "after");
}

TEST_F(ResultFiles, NeverReplaceAnInput) {
  put("a.yaml");
  fs::create_symlink("a.yaml", folder_ / "link.yaml");
  for (const char* file : {"a.yaml", "link.yaml"}) {
    EXPECT_NE(refusal(file, Overwrite::yes, {folder_ / "a.yaml", ""}).find("would replace what"),
              std::string::npos)
        << file;
  }
}

TEST_F(ResultFiles, InvalidPathsAreRefused) {
  EXPECT_NE(refusal("no/such/a.csv").find("does not exist"), std::string::npos);
  EXPECT_NE(refusal("").find("is a folder"), std::string::npos);
  const std::array both{ResultFile{"--json", folder_ / "a"}, ResultFile{"--csv", folder_ / "a"}};
  EXPECT_THROW(require_writable(both, Overwrite::yes, {}), core::InputError);
  const std::array neither{ResultFile{"--json", ""}, ResultFile{"--csv", ""}};
  EXPECT_NO_THROW(require_writable(neither, Overwrite::no, {}));
}

TEST_F(ResultFiles, PipesStayPipes) {
  const auto pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(is_special(pipe));
  EXPECT_EQ(refusal("pipe"), "");
  std::string read;
  std::thread reader([&] { read = text("pipe"); });
  write_result(pipe, "through the pipe");
  reader.join();
  EXPECT_EQ(read, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(ResultFiles, LinksStayLinks) {
  put("target.csv");
  fs::create_symlink("target.csv", folder_ / "link.csv");
  EXPECT_NE(refusal("link.csv"), "");
  write_result(folder_ / "link.csv", "after");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link.csv"));
  EXPECT_EQ(text("target.csv"), "after");
}

}  // namespace
}  // namespace nfold::job
