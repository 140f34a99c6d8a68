# Precompiled headers, for those who build steno often (STENO_PRECOMPILED, which the presets set). What a target becomes is
# the same without, and every file includes what it needs all the same: the presets release and bench build without.

# steno_precompiled(<name> HEADER ... LINK ...): compiles a header, for all targets with the same flags.
function(steno_precompiled name)
  cmake_parse_arguments(ARG "" "HEADER" "LINK" ${ARGN})
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled/carrier.cc)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE steno_flags ${ARG_LINK})
  target_precompile_headers(${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${ARG_HEADER})
endfunction()

# Has <target> use its headers, if there are any for it. Left alone is what has flags of its own or files in C, and what is so
# small that loading them costs more than they save.
function(steno_use_precompiled target)
  get_target_property(type ${target} TYPE)
  get_target_property(links ${target} LINK_LIBRARIES)
  get_target_property(pic ${target} POSITION_INDEPENDENT_CODE)
  get_target_property(standard ${target} CXX_STANDARD)
  get_target_property(features ${target} COMPILE_FEATURES)
  get_target_property(own ${target} PRECOMPILE_HEADERS)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^\\$<")
  if(own OR NOT sources OR (standard AND NOT standard EQUAL 20) OR "cxx_std_17" IN_LIST features
     OR type MATCHES "INTERFACE|UTILITY|SHARED|MODULE" OR sources MATCHES "\\.c(;|$)")
    return()
  elseif(links MATCHES "GTest::")
    target_precompile_headers(${target} REUSE_FROM steno_precompiled_test)
  elseif(pic)
    target_precompile_headers(${target} REUSE_FROM steno_precompiled_archive)
  else()
    target_precompile_headers(${target} REUSE_FROM steno_precompiled_program)
  endif()
endfunction()

# For all targets of a folder and of those below it.
function(steno_use_precompiled_below folder)
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    steno_use_precompiled_below(${subfolder})
  endforeach()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    steno_use_precompiled(${target})
  endforeach()
endfunction()

steno_precompiled(steno_precompiled_archive HEADER standard.h)
steno_precompiled(steno_precompiled_program HEADER standard.h)
set_target_properties(steno_precompiled_archive PROPERTIES POSITION_INDEPENDENT_CODE ON)
if(STENO_TESTS)
  find_package(GTest REQUIRED)
  steno_precompiled(steno_precompiled_test HEADER test.h LINK GTest::gtest)
endif()
steno_use_precompiled_below(${PROJECT_SOURCE_DIR})
