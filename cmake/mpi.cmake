# libkedge_mpi.so, which the command line loads when mpirun has started it (cli/mpi/ranks.cpp). Without MPI it is not made.
enable_language(C)
find_package(MPI COMPONENTS C)
if(NOT MPI_C_FOUND)
  message(STATUS "kedge: MPI was not found: runs of several ranks are left out")
  return()
endif()
add_library(kedge_mpi MODULE cli/mpi/ranks.cpp)
# Its old interface for C++ is not used.
target_compile_definitions(kedge_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_include_directories(kedge_mpi PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(kedge_mpi PRIVATE MPI::MPI_C kedge_warnings)
# Beside the program, where it looks first.
set_target_properties(kedge_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
add_dependencies(kedge_cli kedge_mpi)
if(KEDGE_INSTALL)
  # Not part of the Debian package of the program, which would need MPI and the drivers of clusters with it.
  install(TARGETS kedge_mpi LIBRARY DESTINATION lib/kedge COMPONENT development)
endif()
