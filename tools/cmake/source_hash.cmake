# Script that writes OUTPUT, a C++ file with a hash of the program's sources, if the hash has changed.
# cmake -DROOT=... -DOUTPUT=... -P source_hash.cmake; ranks of two builds compare it (src/session/job/backend_ranks).
set(all "")
foreach(folder src kernels input/force_fields input/machines)
  file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${ROOT} ${ROOT}/${folder}/*)
  list(SORT files)
  foreach(name IN LISTS files)
    if(name MATCHES "\\.(cpp|hpp|cu|in|yaml)$|CMakeLists\\.txt$")
      file(SHA256 ${ROOT}/${name} one)
      string(APPEND all "${one} ${name}\n")
    endif()
  endforeach()
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// Hash of the sources, written by tools/cmake/source_hash.cmake at each build.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/version.hpp"

namespace nfold::core {
const char* const source_hash = "@hash@";
}  // namespace nfold::core
]] @ONLY)
