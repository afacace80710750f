// Reader of sections by tables of keys: values, defaults, and the texts of problems.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/document/section_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "core/input_error.hpp"

namespace nfold::document {
namespace {

using namespace makers;
using testing::ElementsAre;
using testing::HasSubstr;

enum class Colour { red, green };
constexpr std::array<Name, 2> colour_names{"red", "green"};

struct Lamp {
  double power_w = 5;
  int bulbs = 1;
  Colour colour = Colour::red;
  bool is_on = false;
  std::string name = "none";
  std::vector<double> place_nm;
};
const std::array lamp_keys{
    required("power_w", real_above<&Lamp::power_w>(0)),
    KeyOf<Lamp>{"bulbs", integer<&Lamp::bulbs>(1, 8)},
    KeyOf<Lamp>{"colour", choice<&Lamp::colour>(colour_names)},
    KeyOf<Lamp>{"is_on", flag<&Lamp::is_on>()},
    KeyOf<Lamp>{"name", text<&Lamp::name>()},
    KeyOf<Lamp>{"place_nm", real_list<&Lamp::place_nm>(0, 10, {}), "nm"},
};

Lamp read(const std::string& text) {
  SectionReader reader("lamp.yaml", "README.md has all keys");
  Lamp lamp;
  const auto root = read_document(text, reader.file());
  if (const auto* section = reader.require(root, "lamp", "", NodeKind::map)) {
    reader.read_section(lamp_keys, *section, "lamp", lamp);
  }
  reader.throw_if_any();
  return lamp;
}

/// Printed problems of a text.
std::string error(const std::string& text) {
  try {
    (void)read(text);
  } catch (const core::InputError& problems) {
    return problems.what();
  }
  return "";
}

TEST(SectionReader, ReadsEveryRule) {
  const auto lamp = read(
      "lamp: {power_w: 2.5, bulbs: 3, colour: green, is_on: true, name: desk, place_nm: [1, 2]}\n");
  EXPECT_EQ(lamp.power_w, 2.5);
  EXPECT_EQ(lamp.bulbs, 3);
  EXPECT_EQ(lamp.colour, Colour::green);
  EXPECT_TRUE(lamp.is_on);
  EXPECT_EQ(lamp.name, "desk");
  EXPECT_THAT(lamp.place_nm, ElementsAre(1, 2));
}

TEST(SectionReader, MissingKeysKeepDefaults) {
  const auto lamp = read("lamp: {power_w: 1}\n");
  EXPECT_EQ(lamp.bulbs, 1);
  EXPECT_EQ(lamp.name, "none");
}

TEST(SectionReader, ProblemsNamePlaceValueAndRemedy) {
  EXPECT_EQ(error("lamp: {power_w: 0}\n"),
            "lamp.yaml:1:17: lamp.power_w = 0 (must be a number > 0)");
  EXPECT_EQ(error("lamp: {power_w: 1, bulbs: 1.5}\n"),
            "lamp.yaml:1:27: lamp.bulbs = 1.5 (must be a whole number from 1 to 8)");
  EXPECT_EQ(error("lamp: {power_w: 1, colour: grene}\n"),
            "lamp.yaml:1:28: lamp.colour = grene (must be one of red, green; did you mean "
            "'green'?)");
  EXPECT_EQ(error("lamp: {power_w: 1, place_nm: [11]}\n"),
            "lamp.yaml:1:30: lamp.place_nm = a list (must be a list of numbers >= 0 and <= 10 "
            "[nm]; found 11 among them)");
  EXPECT_EQ(error("lamp: {bulbs: 2}\n"),
            "lamp.yaml:1:7: key 'power_w' is missing in lamp (give a number > 0; README.md has all "
            "keys)");
  EXPECT_EQ(error("lamp: {power_w: 1, bulps: 2}\n"),
            "lamp.yaml:1:20: unknown key 'bulps' in 'lamp' (did you mean 'bulbs'?)");
  EXPECT_THAT(error("lamp: {power_w: 1, weight: 2}\n"),
              HasSubstr("(it takes power_w, bulbs, colour, is_on, name, place_nm)"));
  EXPECT_EQ(error("lamp: 5\n"), "lamp.yaml:1:7: lamp = 5 (must be a section)");
}

TEST(SectionReader, KeepsFiftyProblems) {
  std::string text = "lamp:\n  power_w: 1\n";
  for (int k = 0; k < 80; ++k) text += "  unknown_" + std::to_string(k) + ": 1\n";
  try {
    (void)read(text);
    FAIL() << "accepted";
  } catch (const core::InputError& problems) {
    EXPECT_EQ(problems.problems().size(), 50U);
  }
}

}  // namespace
}  // namespace nfold::document
