// Samples with numbers that the ensemble cannot have.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/sample_columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/storage/file_error.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::ensemble {
namespace {

/// Error message of one sample of two ladders with these states and contacts, or empty.
std::string sample_error(const std::vector<std::int32_t>& states, std::int32_t formed_contacts) {
  const test::TemporaryFolder folder;
  const input::Settings settings;
  const topology::Topology topology;
  const StateExchange exchange({{100}, {200}}, 2, 1);
  io::SampleFile file(folder.path() / "a.samples", {4}, 0);
  io::SampleRow row;
  row.step = 100;
  row.quantities.assign(4, 1);
  for (const auto state : states) row.replica.push_back({0, 0, 0, formed_contacts, state});
  file.append(row);
  try {
    (void)sample_columns({settings, topology, exchange}, file);
  } catch (const storage::FileError& error) {
    return error.what();
  }
  return {};
}

TEST(SampleColumns, RefusesInvalidStatesAndContacts) {
  using testing::HasSubstr;
  EXPECT_EQ(sample_error({0, 1, 1, 0}, 0), "");
  for (const auto& states : std::vector<std::vector<std::int32_t>>{
           {0, 1, 1, 1}, {0, 2, 1, 0}, {-1, 1, 1, 0}, {1 << 30, 1, 1, 0}}) {
    EXPECT_THAT(sample_error(states, 0),
                HasSubstr("sample 0 has a ladder without each of its states once"));
  }
  EXPECT_THAT(sample_error({0, 1, 1, 0}, 1), HasSubstr("more native contacts than there are"));
  EXPECT_THAT(sample_error({0, 1, 1, 0}, -1), HasSubstr("a.samples: sample 0"));
}

}  // namespace
}  // namespace nfold::ensemble
