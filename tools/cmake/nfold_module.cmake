# Functions nfold_add_module and nfold_add_test: one target per folder.

# nfold_add_module(NAME SOURCES ... HEADERS ... PUBLIC ... PRIVATE ...): the library nfold::NAME.
function(nfold_add_module name)
  cmake_parse_arguments(M "" "" "SOURCES;HEADERS;PUBLIC;PRIVATE" ${ARGN})
  if(M_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nfold_add_module(${name}): unknown arguments ${M_UNPARSED_ARGUMENTS}")
  endif()
  if(M_SOURCES)
    add_library(nfold_${name} STATIC ${M_SOURCES} ${M_HEADERS})
    target_include_directories(nfold_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(nfold_${name} PUBLIC ${M_PUBLIC} PRIVATE ${M_PRIVATE} nfold_flags)
    if(NOT NFOLD_GPU OR NOT name IN_LIST nfold_modules_by_nvcc)
      nfold_compile_together(nfold_${name} 8)
    endif()
    if(name IN_LIST nfold_modules_without_loops)
      nfold_optimise_less(nfold_${name})
    endif()
  else()
    add_library(nfold_${name} INTERFACE)
    target_include_directories(nfold_${name} INTERFACE ${CMAKE_SOURCE_DIR}/src)
    target_link_libraries(nfold_${name} INTERFACE ${M_PUBLIC})
  endif()
  add_library(nfold::${name} ALIAS nfold_${name})
  nfold_check_headers(${name} ${CMAKE_CURRENT_SOURCE_DIR} "${M_HEADERS}"
    nfold_${name} ${M_PUBLIC} ${M_PRIVATE})
endfunction()

# Modules that Kokkos' launcher sends to nvcc, which was not tried with several sources as one.
set(nfold_modules_by_nvcc device forces halo engine replicas start)

# Modules without loops over residues or pairs.
set(nfold_modules_without_loops core document telemetry storage status input hardware job setup common
  ensemble run batch supervise prepare plan bench cli)

# nfold_optimise_less(TARGET): -O1 takes 60 % of the compile time of -O3, and gives the same bits.
function(nfold_optimise_less target)
  if(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# nfold_compile_together(TARGET NUMBER): compiles up to NUMBER source files of a target as one, which
# saves half of the compile time, and two thirds of it without optimisation.
function(nfold_compile_together target number)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${number})
  # Members of types in anonymous namespaces are right in a source file, which GCC cannot see here.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# nfold_compile_alone(SOURCES...): tests link another definition of what these files define, in place of the object.
function(nfold_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# nfold_builtin_texts(VARIABLE FOLDER [ENDING]): makes pairs of name and text of its files [yaml], for C++.
function(nfold_builtin_texts variable folder)
  set(ending yaml)
  if(ARGC GREATER 2)
    set(ending ${ARGV2})
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.${ending})
  set(pairs "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    file(READ ${file} text)
    string(FIND "${text}" ")file\"" place)
    if(NOT place EQUAL -1)
      message(FATAL_ERROR "${file} holds )file\", which cannot be built in")
    endif()
    string(APPEND pairs "    {\"${name}\", R\"file(${text})file\"},\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(${variable} "${pairs}" PARENT_SCOPE)
endfunction()

# nfold_check_headers(NAME FOLDER "HEADERS" LIBS...): the target `headers` compiles each header alone.
# A header included first by its source file is compiled alone in every build, so it is left out.
add_custom_target(headers)
function(nfold_check_headers name folder headers)
  set(sources "")
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.hpp$" ".cpp" source ${header})
    if(EXISTS ${folder}/${source})
      continue()
    endif()
    set(alone ${CMAKE_CURRENT_BINARY_DIR}/headers/${source})
    file(CONFIGURE OUTPUT ${alone} CONTENT "#include \"@folder@/@header@\"\n" @ONLY)
    list(APPEND sources ${alone})
  endforeach()
  if(sources)
    add_library(headers_${name} OBJECT EXCLUDE_FROM_ALL ${sources})
    target_link_libraries(headers_${name} PRIVATE ${ARGN} nfold_flags)
    target_compile_options(headers_${name} PRIVATE -O0 -Wno-unused)
    add_dependencies(headers headers_${name})
  endif()
endfunction()

# nfold_compile_for_device(TARGET): users of the interface TARGET get the host's arithmetic on the device.
# Kokkos' launcher sends sources that link Kokkos to nvcc and the others to the host's compiler.
function(nfold_compile_for_device target)
  if(NFOLD_GPU)
    # nvcc contracts to fma by default. It cannot evaluate fmt's consteval format strings.
    target_compile_options(${target} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--fmad=false>)
    target_compile_definitions(${target} INTERFACE FMT_CONSTEVAL= FMT_USE_CONSTEXPR=1)
  endif()
endfunction()

# nfold_keep_ranks_for_sanitizers(VARIABLE): keeps 1 and the largest number up to 3 of a list of numbers of ranks.
function(nfold_keep_ranks_for_sanitizers variable)
  set(kept "")
  foreach(np IN LISTS ${variable})
    if(np LESS_EQUAL 3)
      list(FILTER kept INCLUDE REGEX "^1$")
      list(APPEND kept ${np})
    endif()
  endforeach()
  if(kept)
    set(${variable} ${kept} PARENT_SCOPE)
  endif()
endfunction()

# The target `sanitized`: programs of the tests that run under sanitizers.
add_custom_target(sanitized)

# nfold_add_sanitized(EXECUTABLE "LABELS"): adds it, unless the test preset `sanitize` leaves its labels out.
function(nfold_add_sanitized executable labels)
  if(NOT "${labels}" MATCHES "long|physics|fault|program|fuzz|gpu|python")
    add_dependencies(sanitized ${executable})
  endif()
endfunction()

# nfold_add_test(NAME SOURCES ... LIBS ... RANKS 1 2 3 4 THREADS n LABELS ... TIMEOUT s ARGS ...):
# adds an executable test_NAME. Without RANKS it runs plainly, else once per rank count under mpirun
# (then link nfold::mpi_test_main, whose result is collective). Sanitizers look for faults of memory, which no rank
# has alone: with them it runs on one rank and on the largest number up to three.
function(nfold_add_test name)
  cmake_parse_arguments(T "" "TIMEOUT;THREADS" "SOURCES;LIBS;RANKS;LABELS;ARGS" ${ARGN})
  if(T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "nfold_add_test(${name}): unknown arguments ${T_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)  # guards against a hang, not against a slow machine
  endif()
  if(NOT T_THREADS)
    set(T_THREADS 1)
  endif()
  if(NFOLD_SANITIZE)
    math(EXPR T_TIMEOUT "${T_TIMEOUT} * 4")
  endif()
  string(REPLACE "." "_" exe ${name})
  add_executable(test_${exe} ${T_SOURCES})
  if(NOT NFOLD_GPU)  # many tests are compiled by nvcc
    nfold_compile_together(test_${exe} 12)
    nfold_optimise_less(test_${exe})
  endif()
  if(NFOLD_SANITIZE)
    target_compile_options(test_${exe} PRIVATE -O0)
    # Undefined behaviour is looked for in the rooms. It costs a quarter of a test's compile time; only tests of
    # functors and of headers with loops instantiate code that no room has.
    if(NOT "${name} ${T_LIBS}" MATCHES "kernels|forces|halo|engine|replicas|system|analysis|mpi")
      target_compile_options(test_${exe} PRIVATE -fno-sanitize=undefined)
    endif()
  endif()
  nfold_add_sanitized(test_${exe} "${T_LABELS}")
  if(T_RANKS)
    target_link_libraries(test_${exe} PRIVATE ${T_LIBS} nfold::mpi_test_main nfold_flags)
    if(NFOLD_SANITIZE)
      nfold_keep_ranks_for_sanitizers(T_RANKS)
    endif()
    foreach(np IN LISTS T_RANKS)
      # Waiting ranks yield their core, so two of them need only one.
      set(cores 1)
      if(np GREATER 2)
        set(cores 2)
      endif()
      add_test(NAME ${name}.np${np}
        COMMAND ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe --bind-to none
                -np ${np} $<TARGET_FILE:test_${exe}> ${T_ARGS})
      set_tests_properties(${name}.np${np} PROPERTIES TIMEOUT ${T_TIMEOUT} PROCESSORS ${cores}
        LABELS "${T_LABELS};np${np}" ENVIRONMENT "${NFOLD_TEST_ENVIRONMENT};OMP_NUM_THREADS=${T_THREADS}")
    endforeach()
  else()
    target_link_libraries(test_${exe} PRIVATE ${T_LIBS} GTest::gtest_main nfold_flags)
    add_test(NAME ${name} COMMAND test_${exe} ${T_ARGS})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${T_TIMEOUT} LABELS "${T_LABELS}"
      ENVIRONMENT "${NFOLD_TEST_ENVIRONMENT};OMP_NUM_THREADS=${T_THREADS}")
  endif()
endfunction()

# Ranks and threads on few cores must not spin or bind. Sanitizers ignore Open MPI's own leaks.
set(NFOLD_TEST_ENVIRONMENT "NFOLD_HISTORY=off;OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive;OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_rmaps_base_oversubscribe=1;OMPI_MCA_mpi_yield_when_idle=1;OMPI_MCA_btl_vader_single_copy_mechanism=none;ASAN_OPTIONS=detect_leaks=0;UBSAN_OPTIONS=print_stacktrace=1")
