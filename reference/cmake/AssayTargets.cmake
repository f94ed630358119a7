# Shared by every target of the project: its warnings and the way its tests are registered.

# assay_warnings(target): the warnings the project is clean under; errors where ASSAY_WERROR is on.
function(assay_warnings target)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow $<$<BOOL:${ASSAY_WERROR}>:-Werror>)
endfunction()

# assay_units(target): with ASSAY_UNITY, sources of one folder are compiled together, a dozen at most, in half the time.
# Names in the unnamed namespaces of a folder must then differ. Sources with definitions of their own stay alone.
function(assay_units target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD "${ASSAY_UNITY}" UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    list(APPEND ${folder} "${source}")
    list(LENGTH ${folder} count)
    math(EXPR unit "(${count} - 1) / 12")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${folder}_${unit})
  endforeach()
endfunction()

# assay_precompile(target name HEADERS header... LIBRARIES library... OPTIONS option...): headers of others that most
# sources include, parsed once for all targets that give this name: as `name`, an object library that links what these
# headers are of. A precompiled header serves only sources compiled with its options, so the target gets these too.
function(assay_precompile target name)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "HEADERS;LIBRARIES;OPTIONS")
  if(NOT TARGET ${name})
    file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
    add_library(${name} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
    target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
    assay_warnings(${name})
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  endif()
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

# assay_precompile_common(target): these, for a target that links fmt. None that few sources include: a precompiled header
# with CLI11, pybind11 or Boost's numbers in it costs seconds a source. The Python module, a shared library, links what
# is compiled so; calls within a library are inlined all the same.
function(assay_precompile_common target)
  assay_precompile(
    ${target} assay_precompiled
    HEADERS <algorithm> <array> <cmath> <filesystem> <functional> <map> <memory> <optional> <random> <span> <sstream>
            <string> <vector> <fmt/format.h>
    LIBRARIES fmt::fmt
    OPTIONS -fPIC -fno-semantic-interposition)
endfunction()

# assay_skipped(name why): a test that ctest lists as skipped, in place of tests that this build cannot have.
function(assay_skipped name why)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" -E echo "SKIPPED: ${why}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^SKIPPED")
endfunction()

# assay_test(name SOURCES file... ALONE file... LIBRARIES library...): one googletest program, each of its tests known to
# ctest as name.Suite.Test. ALONE: sources that are not compiled together with others, since names in them clash.
function(assay_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "SOURCES;ALONE;LIBRARIES")
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES} ${arg_ALONE})
  assay_units(${name})
  set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  assay_warnings(${name})
  get_target_property(sources ${name} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    set_property(GLOBAL APPEND PROPERTY assay_tested "${source}")
  endforeach()
  assay_precompile(${name} assay_precompiled_tests HEADERS <gmock/gmock.h> <gtest/gtest.h> LIBRARIES GTest::gmock)
  include(GoogleTest)
  gtest_discover_tests(
    ${name}
    TEST_PREFIX "${name}."
    NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300 LABELS "${arg_LABEL}")
endfunction()
