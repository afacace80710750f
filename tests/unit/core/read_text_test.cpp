// Reading of whole files: content, empty, missing and unreadable ones.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/read_text.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace nfold::core {
namespace {

TEST(ReadText, ReturnsContentOrNothing) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("nfold_read_text_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "full") << "two\nlines";
  std::ofstream(folder / "empty").flush();
  EXPECT_EQ(read_text(folder / "full"), "two\nlines");
  EXPECT_EQ(read_text(folder / "empty"), "");
  EXPECT_FALSE(read_text(folder / "missing"));
  EXPECT_FALSE(read_text(folder)) << "a folder has no text";
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace nfold::core
