// Incident lines: keys, null for unknown values, no line breaks.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/status/incident_line.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/storage/file_error.hpp"

namespace nfold::status {
namespace {

namespace fs = std::filesystem;

TEST(IncidentLine, UnknownValuesAreNull) {
  const auto known =
      json_of({"noon", core::Outcome::hang, {3, "n7", "GPU-1"}, "it hangs"}, {{"step", 40}});
  EXPECT_EQ(known.dump(),
            R"({"time":"noon","what":"hang","step":40,"rank":3,"host":"n7","device":"GPU-1",)"
            R"("details":"it hangs"})");
  const auto unknown = json_of({"noon"}, {});
  for (const char* key : {"rank", "host", "device"}) EXPECT_TRUE(unknown.at(key).is_null()) << key;
}

TEST(IncidentLine, AppendAddsOneLine) {
  const fs::path file =
      fs::temp_directory_path() / ("nfold_incident_line_" + std::to_string(getpid()));
  append_incident(file, core::Outcome::failure, {{"target", "a"}}, core::Suspect{1, "n1", ""},
                  "broken \xff byte\nand a break");
  append_incident(file, core::Outcome::memory, {}, {}, "none is left");
  std::ifstream stream(file);
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(nlohmann::json::parse(line));
  fs::remove(file);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].at("target"), "a");
  EXPECT_EQ(lines[0].at("rank"), 1);
  EXPECT_TRUE(lines[0].at("device").is_null()) << "processors";
  EXPECT_TRUE(lines[1].at("rank").is_null());
  EXPECT_THROW(append_incident("/nowhere/at/all", core::Outcome::memory, {}, {}, ""),
               storage::FileError);
}

}  // namespace
}  // namespace nfold::status
