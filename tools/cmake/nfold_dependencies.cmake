# The libraries nfold stands on, each found once, each used by the folder that wraps it.
set(MPI_CXX_SKIP_MPICXX ON)  # the C++ bindings' library may be missing on a cluster
find_package(MPI REQUIRED COMPONENTS CXX)
set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 REQUIRED COMPONENTS C)
if(NOT HDF5_IS_PARALLEL)
  message(FATAL_ERROR "nfold needs a parallel HDF5; found a serial one at ${HDF5_INCLUDE_DIRS}. "
                      "On Debian: libhdf5-openmpi-dev; elsewhere set HDF5_ROOT.")
endif()
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(GTest REQUIRED)
find_package(Kokkos 4.5 REQUIRED)

# gemmi 0.5 is header-only in Debian, with a CMake package in other distributions.
find_path(GEMMI_INCLUDE_DIR gemmi/pdb.hpp REQUIRED)

add_library(nfold_yaml INTERFACE)
target_link_libraries(nfold_yaml INTERFACE $<IF:$<TARGET_EXISTS:yaml-cpp::yaml-cpp>,yaml-cpp::yaml-cpp,yaml-cpp>)

add_library(nfold_hdf5 INTERFACE)
target_include_directories(nfold_hdf5 SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS})
target_link_libraries(nfold_hdf5 INTERFACE ${HDF5_C_LIBRARIES} MPI::MPI_CXX)

add_library(nfold_gemmi INTERFACE)
target_include_directories(nfold_gemmi SYSTEM INTERFACE ${GEMMI_INCLUDE_DIR})
target_link_libraries(nfold_gemmi INTERFACE ZLIB::ZLIB)
