// Any bytes as an expression: one that has a value, or an ExpressionError with a place in the text.
// SPDX-License-Identifier: BSD-3-Clause
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "input/expression.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const nfold::input::Expression expression(text);
    const std::vector<double> values(expression.names().size(), 0.5);
    (void)expression.value(values);
  } catch (const nfold::input::ExpressionError& error) {
    if (error.offset() > size) std::abort();
  }
  return 0;
}
