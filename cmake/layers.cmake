# The rules that every target of the project shares, and one verb for each kind of target.
option(CELLGATE_TESTS "Build the unit tests" ON)
option(CELLGATE_BENCHMARKS "Build the micro-benchmarks" OFF)
option(CELLGATE_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(CELLGATE_SANITIZE "" CACHE STRING "Value for -fsanitize=, empty for none")

add_library(cellgate_rules INTERFACE)
target_compile_features(cellgate_rules INTERFACE cxx_std_20)
target_include_directories(cellgate_rules INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(cellgate_rules INTERFACE -Wall -Wextra -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports uninitialised and dangling values inside Boost's and the library's inlined code at -O2.
  target_compile_options(cellgate_rules INTERFACE -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow -Wno-array-bounds)
  # So it does the deletes of coroutine frames.
  target_compile_options(cellgate_rules INTERFACE $<$<NOT:$<CONFIG:Debug>>:-Wno-mismatched-new-delete>)
endif()
# Asio and Beast are compiled once (cmake/boost_asio.cpp, cmake/boost_beast.cpp) instead of in every file.
target_compile_definitions(cellgate_rules INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED
  CELLGATE_VERSION="${PROJECT_VERSION}")
if(CELLGATE_SANITIZE)
  target_compile_options(cellgate_rules INTERFACE -fsanitize=${CELLGATE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  target_link_options(cellgate_rules INTERFACE -fsanitize=${CELLGATE_SANITIZE})
endif()

if(CELLGATE_SANITIZE STREQUAL "thread")
  # Asio fences, which the thread sanitizer does not follow: only what uses no Asio can be run under it.
  target_compile_options(cellgate_rules INTERFACE -Wno-tsan)
endif()

if(CELLGATE_FUZZ)
  # Without coverage of the layers themselves libFuzzer would mutate blindly.
  # clang 14 cannot put its check of function types into coroutines ("difference across sections").
  target_compile_options(cellgate_rules INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize=function)
endif()

# cellgate_layer(NAME SOURCES a.cpp ... LINKS b ...): one static library a folder.
function(cellgate_layer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC cellgate_rules ${ARG_LINKS})
endfunction()

# cellgate_test(NAME SOURCES a_test.cpp ... LINKS b ...): one GoogleTest program, each case known to ctest.
function(cellgate_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE cellgate_rules ${ARG_LINKS} GTest::gmock GTest::gtest_main)
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 60)
endfunction()

# cellgate_fuzz(NAME SOURCES a.cpp LINKS b): one libFuzzer program.
function(cellgate_fuzz name)
  if(NOT CELLGATE_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE cellgate_rules ${ARG_LINKS})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()
