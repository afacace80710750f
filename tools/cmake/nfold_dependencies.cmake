# Libraries of nfold. Each is found once and used by the folder that wraps it.
# The cache holds the builds of tools/bootstrap; Kokkos_ROOT and CMAKE_PREFIX_PATH take precedence.
set(nfold_cache "$ENV{NFOLD_CACHE}")
if(NOT nfold_cache)
  set(nfold_cache "$ENV{HOME}/.cache/nfold")
endif()
set(nfold_kokkos kokkos-cpu)
if(NFOLD_GPU)
  set(nfold_kokkos kokkos-cuda)
endif()
list(APPEND CMAKE_PREFIX_PATH ${nfold_cache}/${nfold_kokkos})

# Python of the tests of files and of the report.
if(EXISTS "${nfold_cache}/venv/bin/python")
  set(nfold_python "${nfold_cache}/venv/bin/python")
else()
  find_program(nfold_python NAMES python3)
endif()
set(NFOLD_PYTHON "${nfold_python}" CACHE FILEPATH "Python with numpy, h5py, matplotlib and MDAnalysis")

set(MPI_CXX_SKIP_MPICXX ON)  # the C++ bindings' library may be missing on a cluster
find_package(MPI REQUIRED COMPONENTS CXX)
if(NOT SKBUILD)  # a serial HDF5 works as well, and a wheel has it inside
  set(HDF5_PREFER_PARALLEL ON)
endif()
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 3.35 REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS context)
if(NFOLD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(NOT NFOLD_FUZZ)
  find_package(Kokkos 4.5 REQUIRED)
endif()

# NCCL's header only: the library is opened at run time if it exists.
if(NFOLD_GPU)
  find_package(CUDAToolkit REQUIRED)
  find_path(NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} ENV NCCL_ROOT ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  if(NOT NCCL_INCLUDE_DIR)
    message(STATUS "nccl.h was not found: nfold will exchange by other transports (NCCL_ROOT names its folder)")
  endif()
endif()

# Cores, NUMA nodes, and locations of GPUs and network cards on a node.
find_path(HWLOC_INCLUDE_DIR hwloc.h REQUIRED)
find_library(HWLOC_LIBRARY hwloc REQUIRED)
add_library(nfold_hwloc INTERFACE)
target_include_directories(nfold_hwloc SYSTEM INTERFACE ${HWLOC_INCLUDE_DIR})
target_link_libraries(nfold_hwloc INTERFACE ${HWLOC_LIBRARY})

# Partitioning by contact clusters: METIS with its own or the distribution's GKlib inside.
find_path(METIS_INCLUDE_DIR metis.h HINTS ${METIS_ROOT} ENV METIS_ROOT PATH_SUFFIXES include)
find_library(METIS_LIBRARY metis HINTS ${METIS_ROOT} ENV METIS_ROOT PATH_SUFFIXES lib)
if(NOT METIS_INCLUDE_DIR OR NOT METIS_LIBRARY)
  message(FATAL_ERROR "nfold needs METIS 5.1; metis.h or its library was not found. "
                      "On Debian: libmetis-dev; elsewhere METIS_ROOT names its folder.")
endif()
file(STRINGS ${METIS_INCLUDE_DIR}/metis.h nfold_metis_version REGEX "#define METIS_VER_(MAJOR|MINOR)")
if(NOT nfold_metis_version MATCHES "MAJOR[ \t]+5.*MINOR[ \t]+[1-9]")
  message(FATAL_ERROR "nfold needs METIS 5.1; ${METIS_INCLUDE_DIR}/metis.h is of another version")
endif()
add_library(nfold_metis INTERFACE)
target_include_directories(nfold_metis SYSTEM INTERFACE ${METIS_INCLUDE_DIR})
target_link_libraries(nfold_metis INTERFACE ${METIS_LIBRARY})

# gemmi 0.5 is header-only in Debian, with a CMake package in other distributions.
find_path(GEMMI_INCLUDE_DIR gemmi/pdb.hpp REQUIRED)
# PEGTL, which gemmi needs too, is header-only.
find_path(PEGTL_INCLUDE_DIR tao/pegtl.hpp REQUIRED)

add_library(nfold_yaml INTERFACE)
target_link_libraries(nfold_yaml INTERFACE $<IF:$<TARGET_EXISTS:yaml-cpp::yaml-cpp>,yaml-cpp::yaml-cpp,yaml-cpp>)

add_library(nfold_hdf5 INTERFACE)
target_include_directories(nfold_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(nfold_hdf5 INTERFACE ${HDF5_C_LIBRARIES} MPI::MPI_CXX)

add_library(nfold_pegtl INTERFACE)
target_include_directories(nfold_pegtl SYSTEM INTERFACE ${PEGTL_INCLUDE_DIR})

add_library(nfold_gemmi INTERFACE)
target_include_directories(nfold_gemmi SYSTEM INTERFACE ${GEMMI_INCLUDE_DIR})
target_link_libraries(nfold_gemmi INTERFACE ZLIB::ZLIB)
