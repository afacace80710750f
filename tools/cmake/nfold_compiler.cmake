# Compiler settings of nfold's own code: pinned arithmetic, warnings as errors, sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# Kokkos routes its users to nvcc by its own launcher, which a second launcher would hide.
find_program(NFOLD_CCACHE ccache)
if(NFOLD_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT NFOLD_GPU)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${NFOLD_CCACHE})
endif()

# Tests are a hundred programs, each of which takes GNU ld three to five times as long as these linkers.
if(NOT NFOLD_GPU)
  include(CheckLinkerFlag)
  foreach(linker lld gold)
    check_linker_flag(CXX -fuse-ld=${linker} NFOLD_LINKS_BY_${linker})
    if(NFOLD_LINKS_BY_${linker})
      add_link_options(-fuse-ld=${linker})
      break()
    endif()
  endforeach()
endif()

# The sanitizers, clang and nvcc's generated code give false warnings.
set(nfold_error_default ON)
if(NFOLD_SANITIZE OR NFOLD_FUZZ OR NFOLD_GPU)
  set(nfold_error_default OFF)
endif()
option(NFOLD_WERROR "Warnings are errors" ${nfold_error_default})

# Flags for reproducible bits: no contraction, no reassociation. Neither errno nor trapping is observable in a
# result, and without them GCC may vectorise sqrt and selects.
add_library(nfold_flags INTERFACE)
target_compile_options(nfold_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -fno-math-errno -fno-trapping-math
    -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    $<$<BOOL:${NFOLD_WERROR}>:-Werror>>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # GCC 12 reports false overlaps in std::string
  target_compile_options(nfold_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(NFOLD_ARCH)
  target_compile_options(nfold_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=${NFOLD_ARCH}>)
endif()
if(NFOLD_SANITIZE)
  # The address sanitizer also detects null pointers and accesses beyond an object. Checking them
  # twice costs a tenth more compile time.
  target_compile_options(nfold_flags INTERFACE -fsanitize=address,undefined
    -fno-sanitize=null,object-size -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(nfold_flags INTERFACE -fsanitize=address,undefined)
endif()
if(NFOLD_FUZZ)
  target_compile_options(nfold_flags INTERFACE -fsanitize=fuzzer-no-link,address,undefined
    -fno-sanitize-recover=all)
  target_link_options(nfold_flags INTERFACE -fsanitize=address,undefined)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
