// Version and source hash of nfold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::core {

inline constexpr const char* version = NFOLD_VERSION;  // project version, from CMake

/// Hash of src/, kernels/ and the built-in tables, 16 hexadecimal digits: equal in the CPU and the
/// GPU build of one checkout.
extern const char* const source_hash;

}  // namespace nfold::core
