// One malformed structure file and what its refusal must say.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "structure/structure.hpp"
#include "structure_text.hpp"

namespace nfold::test {

struct Fault {
  std::string name;
  std::string bytes;
  std::string place;  ///< part of the message that names the place and what was found
  structure::Selection selection{};
};

/// What gtest prints of a fault when its test fails.
inline std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.name; }

class Malformed : public testing::TestWithParam<Fault> {};

inline std::string fault_name(const testing::TestParamInfo<Fault>& info) { return info.param.name; }

/// The message of the refusal; empty if the file was accepted.
inline std::string refusal_of(const Fault& fault) {
  try {
    (void)structure::parse_structure(fault.bytes, "test.pdb", fault.selection);
  } catch (const structure::StructureError& error) {
    return error.what();
  }
  return "";
}

}  // namespace nfold::test
