# steno_command_alone(<target>): links the command to the archives of RE2, zstd and the C++ library, where that works.
# Finding shared libraries and binding to their symbols is a third of the time of a command that looks at a small log,
# and more where RE2 stands on Abseil (2023 and later), which is some forty libraries.

# Leaves in `out` the options that link RE2, zstd and zlib from their archives: these whole, for then nothing asks for the
# shared ones; of Abseil's, which RE2's pkg-config file names, what RE2 takes. Empty: an archive is missing.
function(steno_archives_of_command out)
  set(${out} "" PARENT_SCOPE)
  find_library(STENO_RE2_ARCHIVE libre2.a)
  find_library(STENO_ZSTD_ARCHIVE libzstd.a)
  find_library(STENO_ZLIB_ARCHIVE libz.a)
  mark_as_advanced(STENO_RE2_ARCHIVE STENO_ZSTD_ARCHIVE STENO_ZLIB_ARCHIVE)
  if(NOT STENO_RE2_ARCHIVE OR (STENO_ZSTD_LIBRARY AND NOT STENO_ZSTD_ARCHIVE))
    return()
  endif()
  set(whole ${STENO_RE2_ARCHIVE})
  if(STENO_ZSTD_LIBRARY)
    list(APPEND whole ${STENO_ZSTD_ARCHIVE})
  endif()
  if(ZLIB_FOUND AND STENO_ZLIB_ARCHIVE)
    list(APPEND whole ${STENO_ZLIB_ARCHIVE})
  endif()
  set(more "")
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --static --libs-only-l re2 OUTPUT_VARIABLE flags ERROR_QUIET)
    string(REGEX MATCHALL "absl_[a-z0-9_]+" names "${flags}")
    list(REMOVE_DUPLICATES names)
    get_filename_component(folder ${STENO_RE2_ARCHIVE} DIRECTORY)
    foreach(name IN LISTS names)
      if(EXISTS ${folder}/lib${name}.a)
        list(APPEND more ${folder}/lib${name}.a)
      endif()
    endforeach()
    if(more)
      set(more LINKER:--start-group ${more} LINKER:--end-group)
    endif()
  endif()
  set(${out} -static-libstdc++ -static-libgcc LINKER:--as-needed
    LINKER:--whole-archive ${whole} LINKER:--no-whole-archive ${more} PARENT_SCOPE)
endfunction()

function(steno_command_alone target)
  steno_archives_of_command(options)
  if(NOT options)
    message(STATUS "The steno command needs shared libraries: the archives of RE2 and zstd are not both here")
    return()
  endif()
  # What those archives stand on in turn differs from system to system, so the link is tried.
  if(NOT STENO_COMMAND_ALONE_TRIED STREQUAL options)
    unset(STENO_COMMAND_ALONE_LINKS CACHE)
    set(STENO_COMMAND_ALONE_TRIED "${options}" CACHE INTERNAL "What STENO_COMMAND_ALONE_LINKS is about")
  endif()
  if(NOT DEFINED STENO_COMMAND_ALONE_LINKS)
    try_compile(STENO_COMMAND_ALONE_LINKS ${PROJECT_BINARY_DIR}/command_alone
      SOURCES ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/command_alone.cc
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${STENO_RE2_INCLUDE}"
      LINK_OPTIONS ${options} LINK_LIBRARIES ${STENO_RE2_LIBRARY} Threads::Threads
      CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
      OUTPUT_VARIABLE STENO_COMMAND_ALONE_SAID)
  endif()
  if(STENO_COMMAND_ALONE_LINKS)
    target_link_options(${target} PRIVATE ${options})
  else()
    message(STATUS "The steno command needs shared libraries: the archives of RE2 and zstd do not link here")
  endif()
endfunction()
