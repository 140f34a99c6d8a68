# Settings every target of steno shares.

add_library(steno_flags INTERFACE)
target_compile_options(steno_flags INTERFACE -Wall -Wextra -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  -Wno-missing-field-initializers
  $<$<BOOL:${STENO_WERROR}>:-Werror>)
# GCC 12 sees overlapping copies in std::string's own operator+ (its PR 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(steno_flags INTERFACE -Wno-restrict)
endif()
# In precompiled headers GCC forgets which are the system's, and warns of what it thinks it sees in them. Builds without
# (dev, bench) keep these warnings.
if(STENO_PRECOMPILED AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(steno_flags INTERFACE -Wno-array-bounds -Wno-maybe-uninitialized -Wno-stringop-overflow
    -Wno-stringop-overread)
endif()
# GCC collects its garbage where the memory would be enough: a tenth of the time of large units. At most 1 GiB a unit.
if(STENO_PRECOMPILED AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(steno_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=1000000>)
endif()
# To GCC all but the first file of a unity build is a header, where members of unnamed namespaces' types would be a mistake.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(steno_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
# Where several copies of steno are in a process, an exported function is one copy's for all of them (docs/guide/linking.md).
# GCC respects that by itself; clang would put a copy's own function into its callers.
target_compile_options(steno_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fsemantic-interposition>)
# A section for each function and object: a program that links with --gc-sections leaves out those that it does not need.
target_compile_options(steno_flags INTERFACE -ffunction-sections -fdata-sections)

# steno_library(<name> SOURCES ... LINK ...): one folder of src/ as an object library, with the include root set.
function(steno_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} OBJECT ${ARG_SOURCES})
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS ON)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE steno_flags PUBLIC ${ARG_LINK})
endfunction()
