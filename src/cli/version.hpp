// nfold's own version.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::cli {

inline constexpr const char* version = NFOLD_VERSION;  // the project's, from CMake

}  // namespace nfold::cli
