# numerics_tests: the bits that this program finds, held to the lists in tests/golden, by each instruction set. A
# sanitizer compiles other code, and without the simulations half of the computations are not there.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT KEDGE_HAS_MUJOCO OR KEDGE_TEST_FOLDERS OR KEDGE_SANITIZE OR
   CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  return()
endif()
file(GLOB numerics CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_executable(numerics_tests ${numerics})
target_link_libraries(numerics_tests PRIVATE kedge GTest::gtest_main fmt::fmt-header-only kedge_warnings)
target_compile_options(numerics_tests PRIVATE -O1)
target_compile_definitions(numerics_tests PRIVATE KEDGE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
foreach(instructions x86-64 x86-64-v3 x86-64-v4)
  add_test(NAME numerics_${instructions} COMMAND numerics_tests --gtest_brief=1)
  set_tests_properties(numerics_${instructions} PROPERTIES ENVIRONMENT KEDGE_INSTRUCTIONS=${instructions} LABELS slow)
endforeach()
