// Any bytes as an input file: settings that survive a round trip, or an InputError.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "input/input.hpp"

namespace {

using nfold::input::parse_input;
using nfold::input::Settings;
using nfold::input::write_input;

// A checkpoint holds the resolved input; a resume must read the same settings from it.
void expect_round_trip(const Settings& settings) {
  const std::string once = write_input(settings);
  const std::string twice = write_input(parse_input(once, "resolved.yaml"));
  if (once != twice) {
    std::fprintf(stderr, "the resolved input changes when read back:\n%s---\n%s", once.c_str(),
                 twice.c_str());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Settings settings;
  try {
    settings = parse_input(text, "fuzz.yaml");
  } catch (const nfold::core::InputError&) {
    return 0;
  }
  expect_round_trip(settings);  // an InputError from here is a defect and ends the run
  return 0;
}
