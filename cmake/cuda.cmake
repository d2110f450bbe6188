# The CUDA engine, engine_cuda.cu in place of engine_cuda_absent.cpp: KEDGE_CUDA is ON, OFF or AUTO, which is on where an
# nvcc is found that goes with the compiler. nvcc is called here and not by CMake: with CUDA as a language of the
# library, every project that links it would need that language too.
set(KEDGE_CUDA AUTO CACHE STRING "Build the CUDA engine, which needs nvcc: ON, OFF, or AUTO where nvcc is found")
set(KEDGE_CUDA_ARCHITECTURES 80 90 CACHE STRING "Devices that the CUDA engine is compiled for; newer ones take the last")
set(KEDGE_HAS_CUDA OFF)

# Division and root within two units in the last place, as fast as they can be; small numbers are zero, as on the CPU.
set(KEDGE_NVCC_OPTIONS -std=c++20 -O3 -Xcompiler=-fPIC --expt-relaxed-constexpr -diag-suppress=554 -prec-div=false
    -prec-sqrt=false -ftz=true)
foreach(architecture ${KEDGE_CUDA_ARCHITECTURES})
  list(APPEND KEDGE_NVCC_OPTIONS -gencode=arch=compute_${architecture},code=sm_${architecture})
endforeach()
list(GET KEDGE_CUDA_ARCHITECTURES -1 newest)
list(APPEND KEDGE_NVCC_OPTIONS -gencode=arch=compute_${newest},code=compute_${newest})

# Sets `fault` to why there is no CUDA engine; empty where there can be one.
function(kedge_find_nvcc fault)
  find_program(KEDGE_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin)
  if(NOT KEDGE_NVCC)
    set(${fault} "nvcc was not found" PARENT_SCOPE)
    return()
  endif()
  file(REAL_PATH ${KEDGE_NVCC} nvcc)
  cmake_path(GET nvcc PARENT_PATH folder)
  find_library(CUDART_LIBRARY cudart_static HINTS ${folder}/.. PATH_SUFFIXES lib64 lib)
  if(NOT CUDART_LIBRARY)
    set(${fault} "libcudart_static.a was not found beside nvcc" PARENT_SCOPE)
    return()
  endif()
  # Whether nvcc takes this compiler and these devices.
  if(NOT KEDGE_NVCC_TRIED STREQUAL "${KEDGE_NVCC} ${CMAKE_CXX_COMPILER} ${KEDGE_NVCC_OPTIONS}")
    set(trial ${PROJECT_BINARY_DIR}/cuda_trial.cu)
    file(WRITE ${trial} "#include <span>\n__global__ void trial() {}\n")
    execute_process(COMMAND ${KEDGE_NVCC} -ccbin ${CMAKE_CXX_COMPILER} ${KEDGE_NVCC_OPTIONS} -c ${trial} -o ${trial}.o
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
      set(${fault} "${KEDGE_NVCC} does not compile C++20 with this compiler for devices ${KEDGE_CUDA_ARCHITECTURES}"
          PARENT_SCOPE)
      return()
    endif()
    set(KEDGE_NVCC_TRIED "${KEDGE_NVCC} ${CMAKE_CXX_COMPILER} ${KEDGE_NVCC_OPTIONS}" CACHE INTERNAL "")
  endif()
  set(${fault} "" PARENT_SCOPE)
endfunction()

# kedge_add_cuda(TARGET): adds the objects of kedge/nn/*.cu to a library.
function(kedge_add_cuda target)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} kedge/nn/*.cu)
  set(launcher ${CMAKE_CXX_COMPILER_LAUNCHER})
  foreach(source ${sources})
    set(object ${PROJECT_BINARY_DIR}/cuda/${source}.o)
    cmake_path(GET object PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${launcher} ${KEDGE_NVCC} -ccbin ${CMAKE_CXX_COMPILER} ${KEDGE_NVCC_OPTIONS} --threads 2
              -I${PROJECT_SOURCE_DIR} -MD -MF ${object}.d -c ${PROJECT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building CUDA object ${source}.o" VERBATIM)
    target_sources(${target} PRIVATE ${object})
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  endforeach()
  # An installed kedge looks for it on the machine where it is used: cmake/kedgeConfig.cmake.in.
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${CUDART_LIBRARY}> $<INSTALL_INTERFACE:kedge::cudart>
                                          ${CMAKE_DL_LIBS} rt)
endfunction()

if(KEDGE_CUDA)
  kedge_find_nvcc(fault)
  if(NOT fault)
    set(KEDGE_HAS_CUDA ON)
  elseif(KEDGE_CUDA STREQUAL "AUTO")
    message(STATUS "kedge: ${fault}: the CUDA engine is left out")
  else()
    message(FATAL_ERROR "KEDGE_CUDA needs nvcc; ${fault}; install CUDA 12 or newer, or leave KEDGE_CUDA out")
  endif()
endif()
