# What every target of the project shares: its warnings and the way its tests are registered.

# assay_warnings(target): the warnings the project is clean under; errors where ASSAY_WERROR is on.
function(assay_warnings target)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow $<$<BOOL:${ASSAY_WERROR}>:-Werror>)
endfunction()

# assay_test(name SOURCES file... LIBRARIES library...): one googletest program, each of its tests known to ctest as name.Suite.Test.
function(assay_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  find_package(GTest REQUIRED)
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} GTest::gmock GTest::gtest_main)
  assay_warnings(${name})
  list(LENGTH arg_SOURCES count)
  if(count GREATER 4) # parsed once and not by each source: 1.8 s of them
    target_precompile_headers(${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  include(GoogleTest)
  gtest_discover_tests(
    ${name}
    TEST_PREFIX "${name}."
    NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 300)
endfunction()
