// Unpacks gzip in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nfold::structure {

/// The most that is unpacked [bytes], 1 GiB: the largest entry of the Protein Data Bank, a capsid
/// of 2.4 million atoms, has a quarter of it as mmCIF.
inline constexpr std::size_t largest_unpacked_bytes = std::size_t{1} << 30;

[[nodiscard]] bool is_gzip(std::string_view bytes);
/// All members of a gzip file. Throws StructureError naming `name` if it is cut or damaged, or if
/// it unpacks to more than largest_bytes, before it takes memory for them.
[[nodiscard]] std::string gunzip(std::string_view bytes, const std::string& name,
                                 std::size_t largest_bytes = largest_unpacked_bytes);

}  // namespace nfold::structure
