// Arrays of NumPy files: NPY, and NPZ archives of them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::structure {

/// An array in row-major order.
struct NumpyArray {
  std::string name;  ///< "pae"; empty for a file of one array
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

[[nodiscard]] bool is_zip(std::string_view bytes);
[[nodiscard]] bool is_npy(std::string_view bytes);

/// Parses an NPY file of real numbers or integers, any byte order. Throws StructureError.
[[nodiscard]] NumpyArray parse_npy(std::string_view bytes, const std::string& name);

/// Returns the arrays of these names from an NPZ archive, stored or deflated; others are skipped.
/// Throws StructureError with the names of all arrays if there is none of them.
[[nodiscard]] std::vector<NumpyArray> parse_npz(std::string_view bytes, const std::string& name,
                                                const std::vector<std::string>& wanted);

}  // namespace nfold::structure
