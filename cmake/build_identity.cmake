# kedge_build_identity(TARGET): makes kedge_build.h in the build tree, which names the build that results come from: a
# hash of the sources that can change the result of a job, of the compiler's flags and of the libraries' versions. What
# makes tables and figures of these results (kedge/report, kedge/experiments) runs anew each time and is left out.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "${SETTINGS}")
  string(REPLACE "," ";" FILES "${FILES}")
  foreach(file ${FILES})
    file(SHA256 ${ROOT}/${file} hash)
    string(APPEND text "\n${file} ${hash}")
  endforeach()
  string(SHA256 hash "${text}")
  string(SUBSTRING ${hash} 0 12 hash)
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\nnamespace kedge {\ninline constexpr const char* build_sources = \"${hash}\";\ninline constexpr const char* build_compiler = \"${COMPILER}\";\n}\n" @ONLY)
  return()
endif()

function(kedge_build_identity target)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} kedge/*.h kedge/*.cpp kedge/*.cu kedge/*.cuh
       kedge/*.xml kedge/*.csv kedge/*.json)
  list(FILTER files EXCLUDE REGEX "^kedge/(report|experiments)/|^kedge/kedge\\.h$")
  # The options of nvcc.
  list(APPEND files cmake/cuda.cmake)
  list(SORT files)
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  list(JOIN files "," joined)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  set(settings "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} Eigen ${Eigen3_VERSION}")
  foreach(instructions baseline v3 v4)
    get_source_file_property(options kedge/kernels/${instructions}.cpp COMPILE_OPTIONS)
    string(APPEND settings " ${instructions} ${options}")
  endforeach()
  if(KEDGE_HAS_MUJOCO)
    file(STRINGS ${MUJOCO_INCLUDE_DIR}/mujoco/mujoco.h mujoco REGEX "define mjVERSION_HEADER")
    string(APPEND settings " MuJoCo ${mujoco}")
  endif()
  set(header ${PROJECT_BINARY_DIR}/identity/kedge_build.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DFILES=${joined} "-DSETTINGS=${settings}"
            "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -DOUTPUT=${header} -P
            ${PROJECT_SOURCE_DIR}/cmake/build_identity.cmake
    DEPENDS ${paths} ${PROJECT_SOURCE_DIR}/cmake/build_identity.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/identity)
endfunction()
