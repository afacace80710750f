// Text of a list of targets, which may be much longer than an input file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/document/document.hpp"

namespace nfold::document {

/// Largest list that is read: the sequences of some proteomes.
inline constexpr std::size_t largest_list_bytes = std::size_t{1} << 27;

/// Parses a document like read_document(), up to largest_list_bytes.
[[nodiscard]] InputNode read_long_document(std::string_view text, const std::string& file);

}  // namespace nfold::document
