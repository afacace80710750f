// Decompression of gzip in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nfold::structure {

/// Largest decompressed size [bytes], 1 GiB. The largest entry of the Protein Data Bank, a capsid
/// of 2.4 million atoms, has a quarter of it as mmCIF.
inline constexpr std::size_t largest_unpacked_bytes = std::size_t{1} << 30;

[[nodiscard]] bool is_gzip(std::string_view bytes);
/// Decompresses all members of a gzip file. Throws StructureError with `name` if it is truncated or
/// damaged, or if it exceeds largest_bytes, before allocating memory for it.
[[nodiscard]] std::string gunzip(std::string_view bytes, const std::string& name,
                                 std::size_t largest_bytes = largest_unpacked_bytes);

}  // namespace nfold::structure
