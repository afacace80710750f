# Writes OUTPUT, a C++ file with a hash of what the program is made of, if that has changed.
# cmake -DROOT=... -DOUTPUT=... -P source_hash.cmake; ranks of two builds compare it (src/job/ranks_of_job).
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
// Made by tools/cmake/source_hash.cmake at each build: which sources these are.
// SPDX-License-Identifier: BSD-3-Clause
#include "job/version.hpp"

namespace nfold::job {
const char* const source_hash = "@hash@";
}  // namespace nfold::job
]] @ONLY)
