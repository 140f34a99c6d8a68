# steno_find_jni(): sets STENO_JNI_INCLUDE in the cache to the folder of a JDK's jni.h, or to STENO_JNI_INCLUDE-NOTFOUND.
# In STENO_JDK_HOME of the caller is the JDK of JAVA_HOME or, without that, of the javac in the PATH; empty: there is none.
# Systems and their users keep JDKs in many places, and give them many names.
function(steno_find_jni)
  set(home "")
  set(first "")
  if(NOT "$ENV{JAVA_HOME}" STREQUAL "")
    set(first HINTS $ENV{JAVA_HOME}/bin)
  endif()
  find_program(javac javac ${first} NO_CACHE)
  if(javac)
    file(REAL_PATH ${javac} real)
    get_filename_component(home ${real}/../.. ABSOLUTE)
    if(NOT EXISTS ${home}/include/jni.h)  # a script that starts the right one
      execute_process(COMMAND ${javac} -J-XshowSettings:properties -version OUTPUT_VARIABLE said ERROR_VARIABLE said)
      if(said MATCHES "java\\.home = ([^\n]+)")
        set(home ${CMAKE_MATCH_1})
      endif()
    endif()
  endif()
  set(STENO_JDK_HOME "${home}" PARENT_SCOPE)
  if(STENO_JNI_INCLUDE AND NOT EXISTS ${STENO_JNI_INCLUDE}/jni.h)
    unset(STENO_JNI_INCLUDE CACHE)  # of a JDK that has gone since
  endif()
  file(GLOB others /usr/lib/jvm/*/include)
  find_path(STENO_JNI_INCLUDE jni.h HINTS ${home}/include PATHS ${others} NO_CMAKE_FIND_ROOT_PATH)
endfunction()
