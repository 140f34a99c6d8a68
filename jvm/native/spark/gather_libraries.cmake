# cmake -DLIBRARY=FILE -P gather_libraries.cmake: copies what the library needs, but for what each system has, beside it,
# and writes the names of all, itself last, to the file "libraries" there.
get_filename_component(folder ${LIBRARY} DIRECTORY)
get_filename_component(name ${LIBRARY} NAME)
file(GET_RUNTIME_DEPENDENCIES MODULES ${LIBRARY} RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES "^lib(c|m|dl|pthread|rt|stdc\\+\\+|gcc_s)\\.so" "^ld-" "^linux-vdso")
if(missing)
  file(REMOVE ${folder}/libraries)
  message(WARNING "The jar for Spark will have no native library: ${name} needs ${missing}, which is not here")
  return()
endif()
set(names "")
foreach(library IN LISTS found)
  get_filename_component(one ${library} NAME)
  configure_file(${library} ${folder}/${one} COPYONLY)
  string(APPEND names "${one}\n")
endforeach()
file(WRITE ${folder}/libraries "${names}${name}\n")
