# emulated_gpu_tests: the CUDA engine, compiled for the CPU and run thread by thread (block.h). What needs a device is
# tested by it on every machine, nvcc or not. It finds cuda_runtime.h and cuda_instructions.cuh in this folder first.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR KEDGE_TEST_FOLDERS)
  return()
endif()
set(emulation ${CMAKE_CURRENT_LIST_DIR})
file(GLOB emulated CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kedge/nn/*.cu)
set_source_files_properties(${emulated} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++;-Wno-unknown-pragmas")
if(NOT KEDGE_HAS_CUDA)
  list(APPEND emulated ${PROJECT_SOURCE_DIR}/kedge/nn/device_plan.cpp)
endif()
add_executable(emulated_gpu_tests ${KEDGE_GPU_TESTS} ${emulated} ${emulation}/block.cpp ${emulation}/cuda_runtime.cpp
                                  ${emulation}/block_test.cpp ${emulation}/engine_test.cpp)
target_include_directories(emulated_gpu_tests BEFORE PRIVATE ${emulation})
target_link_libraries(emulated_gpu_tests PRIVATE kedge GTest::gtest fmt::fmt-header-only kedge_warnings kedge_sanitized)
target_compile_definitions(emulated_gpu_tests PRIVATE KEDGE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
# Half of the time is spent where fibers meet.
target_compile_options(emulated_gpu_tests PRIVATE $<$<CONFIG:Release>:-O2>)
if(KEDGE_SANITIZE)
  # Places that are not there show after one step.
  add_test(NAME checked_emulation COMMAND emulated_gpu_tests --gtest_brief=1
                                          --gtest_filter=EmulatedBlock.*:EmulatedEngine.a_step*:EmulatedEngine.a_fit*)
else()
  gtest_discover_tests(emulated_gpu_tests TEST_FILTER "EmulatedBlock.*" DISCOVERY_TIMEOUT 60)
  gtest_discover_tests(emulated_gpu_tests TEST_FILTER "-EmulatedBlock.*:TrialDevice.*:*that_is_not_there*" TEST_PREFIX "Emulated." DISCOVERY_TIMEOUT 60
                       PROPERTIES LABELS slow)
endif()
