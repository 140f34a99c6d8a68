# Headers, the archives, the CMake package and pkg-config files. tools/steno installs bin/steno itself.
# Components, which become packages (StenoPackage.cmake): shared, what programs run with; dev, what they are built with; command.
include(CMakePackageConfigHelpers)

get_target_property(log_library steno::steno ALIASED_TARGET)
get_target_property(reader_library steno::reader ALIASED_TARGET)
set_target_properties(${log_library} PROPERTIES EXPORT_NAME steno OUTPUT_NAME steno)
set_target_properties(${reader_library} PROPERTIES EXPORT_NAME reader OUTPUT_NAME steno_reader)
set(libraries ${log_library} ${reader_library})
if(TARGET steno::batch)
  get_target_property(batch_library steno::batch ALIASED_TARGET)
  set_target_properties(${batch_library} PROPERTIES EXPORT_NAME batch OUTPUT_NAME steno_batch)
  list(APPEND libraries ${batch_library})
endif()
# A file of targets each: who only logs need not have what reading needs.
set(exports steno-targets steno-reader-targets steno-batch-targets)
list(LENGTH libraries count)
list(SUBLIST exports 0 ${count} exports)
foreach(name IN ITEMS shared reader_shared)
  if(TARGET steno::${name})
    get_target_property(library steno::${name} ALIASED_TARGET)
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
    list(APPEND libraries ${library})
    list(APPEND exports steno-${name}-targets)
  endif()
endforeach()
foreach(library export IN ZIP_LISTS libraries exports)
  if(library)
    install(TARGETS ${library} EXPORT ${export}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT shared NAMELINK_COMPONENT dev
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/steno DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)

# find_package(steno): steno::steno; steno::shared; steno::reader; steno::batch where RE2 was there.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/steno)
foreach(library export IN ZIP_LISTS libraries exports)
  if(library)
    install(EXPORT ${export} NAMESPACE steno:: DESTINATION ${package_dir} COMPONENT dev)
  endif()
endforeach()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/steno-config.cmake.in ${PROJECT_BINARY_DIR}/steno-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/steno-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/steno-config.cmake ${PROJECT_BINARY_DIR}/steno-config-version.cmake
  DESTINATION ${package_dir} COMPONENT dev)

# pkg-config. The archives are static, so what they need is named with them, and not only for --static.
# The prefix is found from where the file lies: `cmake --install --prefix` may choose it late.
file(RELATIVE_PATH up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" up "${up}")
set(STENO_PC_PREFIX "\${pcfiledir}/${up}")
if(STENO_ZSTD_LIBRARY)
  set(STENO_PC_ZSTD " -lzstd")
endif()
# C programs link a library of C++.
set(STENO_PC_CXX "")
foreach(library IN LISTS CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
  if(library MATCHES "^(stdc\\+\\+|c\\+\\+|m)$")
    string(APPEND STENO_PC_CXX " -l${library}")
  endif()
endforeach()
if(CMAKE_CXX_FLAGS MATCHES "-stdlib=libc\\+\\+")
  string(REPLACE "-lstdc++" "-lc++" STENO_PC_CXX "${STENO_PC_CXX}")
endif()
set(packages steno steno-reader)
if(TARGET steno::shared)
  list(APPEND packages steno-shared)
endif()
if(TARGET steno::reader_shared)
  list(APPEND packages steno-reader-shared)
endif()
if(TARGET steno::batch)
  list(APPEND packages steno-batch)
endif()
foreach(name IN LISTS packages)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endforeach()
