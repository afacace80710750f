// nfold's own version, and which sources it was built of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::job {

inline constexpr const char* version = NFOLD_VERSION;  // the project's, from CMake

/// 16 hexadecimal digits, of src/, kernels/ and the tables that are built in: the same in a build
/// for CPUs and one for GPUs of one checkout.
extern const char* const source_hash;

}  // namespace nfold::job
