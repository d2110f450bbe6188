# The CUDA engine, compiled for the CPU and run thread by thread (block.h): what needs a device is tested by it on every
# machine, nvcc or not. It finds cuda_runtime.h and cuda_instructions.cuh in this folder first. emulated_gpu_tests are
# those of a real device and what an emulated one alone can show; kedge_emulated is the command line.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR KEDGE_TEST_FOLDERS)
  return()
endif()
set(emulation ${CMAKE_CURRENT_LIST_DIR})
file(GLOB emulated CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kedge/nn/*.cu)
set_source_files_properties(${emulated} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++;-Wno-unknown-pragmas")
if(NOT KEDGE_HAS_CUDA)
  list(APPEND emulated ${PROJECT_SOURCE_DIR}/kedge/nn/device_plan.cpp ${PROJECT_SOURCE_DIR}/kedge/nn/device_chains.cpp)
endif()
add_library(emulated_device OBJECT ${emulated} ${emulation}/block.cpp ${emulation}/cuda_runtime.cpp)
file(GLOB emulation_tests CONFIGURE_DEPENDS ${emulation}/*_test.cpp)
add_executable(emulated_gpu_tests ${KEDGE_GPU_TESTS} ${emulation_tests})
target_link_libraries(emulated_gpu_tests PRIVATE emulated_device kedge GTest::gtest fmt::fmt-header-only)
target_compile_definitions(emulated_gpu_tests PRIVATE KEDGE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
foreach(target emulated_device emulated_gpu_tests)
  target_include_directories(${target} BEFORE PRIVATE ${emulation})
  target_link_libraries(${target} PRIVATE kedge kedge_warnings kedge_sanitized)
  # Half of the time is spent where fibers meet.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
endforeach()
set(quick EmulatedBlock.*:EmulatedChains.*:EmulatedLaunch.*)
if(KEDGE_SANITIZE)
  # Places that are not there show after one step.
  add_test(NAME checked_emulation
           COMMAND emulated_gpu_tests --gtest_brief=1
                   --gtest_filter=${quick}:EmulatedEngine.a_step*:EmulatedEngine.a_fit*)
  return()
endif()
gtest_discover_tests(emulated_gpu_tests TEST_FILTER "${quick}" DISCOVERY_TIMEOUT 60)
gtest_discover_tests(emulated_gpu_tests TEST_PREFIX "Emulated." DISCOVERY_TIMEOUT 60 PROPERTIES LABELS slow
                     TEST_FILTER "-${quick}:TrialDevice.*:*that_is_not_there*")
if(TARGET kedge_cli)
  add_executable(kedge_emulated $<TARGET_OBJECTS:kedge_cli> ${emulation}/environment.cpp ${emulation}/shorten.cpp)
  target_link_libraries(kedge_emulated PRIVATE emulated_device kedge CLI11::CLI11 kedge_warnings ${CMAKE_DL_LIBS})
  set(classes Fits Sweeps Tables Faults)
  if(KEDGE_HAS_HDF5 AND KEDGE_HAS_MUJOCO)
    list(APPEND classes Policies)
  endif()
  foreach(class ${classes})
    add_test(NAME emulated_commands_${class}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/gpu/commands $<TARGET_FILE:kedge_emulated> --emulated ${class})
    set_tests_properties(emulated_commands_${class} PROPERTIES LABELS slow)
  endforeach()
  add_test(NAME emulated_bench_device
           COMMAND ${PROJECT_SOURCE_DIR}/bench/device $<TARGET_FILE:kedge_emulated>
                   ${PROJECT_BINARY_DIR}/bench_device.json --steps 3 --cases fit_few,cv_few)
  set_tests_properties(emulated_bench_device PROPERTIES LABELS slow)
endif()
