// Malformed structure file with the expected part of its error message.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "model/structure/structure.hpp"
#include "structure_text.hpp"

namespace nfold::test {

struct Fault {
  std::string name;
  std::string bytes;
  std::string place;  ///< part of the message with the position and the value found
  structure::Selection selection{};
};

/// Prints the name of a fault in gtest's messages.
inline std::ostream& operator<<(std::ostream& out, const Fault& fault) { return out << fault.name; }

class Malformed : public testing::TestWithParam<Fault> {};

inline std::string fault_name(const testing::TestParamInfo<Fault>& info) { return info.param.name; }

/// Error message of the parser, empty if the file is accepted.
inline std::string refusal_message(const Fault& fault) {
  try {
    (void)structure::parse_structure(fault.bytes, "test.pdb", fault.selection);
  } catch (const structure::StructureError& error) {
    return error.what();
  }
  return "";
}

}  // namespace nfold::test
