# What `cmake --install` puts under its prefix: the library, its headers, the command line, and what find_package needs.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(KEDGE_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kedge)

# Of these two components a package of the command line takes `program` alone; an install takes both.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS kedge EXPORT kedgeTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY kedge DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
        PATTERN "*_body.h" EXCLUDE PATTERN "state.h" EXCLUDE PATTERN "format.h" EXCLUDE PATTERN "abi" EXCLUDE
        PATTERN "engine_cuda.h" EXCLUDE PATTERN "device_plan.h" EXCLUDE PATTERN "device_chains.h" EXCLUDE)
if(KEDGE_BUILD_C)
  # Programs in C link it by its name: kedge/kedge_c.h and -lkedge_c. The number is KEDGE_ABI_VERSION.
  set_target_properties(kedge_c PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 1)
  install(TARGETS kedge_c)
endif()
install(EXPORT kedgeTargets NAMESPACE kedge:: DESTINATION ${KEDGE_PACKAGE_DIR})

# Where this build has them, in case that is no place where libraries are looked for.
cmake_path(GET MUJOCO_LIBRARY PARENT_PATH KEDGE_MUJOCO_FOLDER)
cmake_path(GET HDF5_LIBRARY PARENT_PATH KEDGE_HDF5_FOLDER)
cmake_path(GET ZLIB_LIBRARY PARENT_PATH KEDGE_ZLIB_FOLDER)
if(KEDGE_HAS_CUDA)
  cmake_path(GET CUDART_LIBRARY PARENT_PATH KEDGE_CUDART_FOLDER)
endif()
configure_package_config_file(cmake/kedgeConfig.cmake.in ${PROJECT_BINARY_DIR}/kedgeConfig.cmake
                              INSTALL_DESTINATION ${KEDGE_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kedgeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kedgeConfig.cmake ${PROJECT_BINARY_DIR}/kedgeConfigVersion.cmake
        DESTINATION ${KEDGE_PACKAGE_DIR})

if(KEDGE_BUILD_CLI)
  if(BUILD_SHARED_LIBS)
    # It is found beside the command, wherever the prefix is moved to.
    file(RELATIVE_PATH from_bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(kedge_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${from_bin_to_lib}")
  endif()
  install(TARGETS kedge_cli COMPONENT program)
  if(NOT CMAKE_CROSSCOMPILING)
    # The command line writes them itself, of the same texts as its help.
    set(KEDGE_TEXTS ${PROJECT_BINARY_DIR}/texts)
    add_custom_command(OUTPUT ${KEDGE_TEXTS}/man1/kedge.1 ${KEDGE_TEXTS}/kedge ${KEDGE_TEXTS}/_kedge
                              ${KEDGE_TEXTS}/kedge.fish
                       COMMAND kedge_cli man ${KEDGE_TEXTS}/man1
                       COMMAND kedge_cli completion bash > ${KEDGE_TEXTS}/kedge
                       COMMAND kedge_cli completion zsh > ${KEDGE_TEXTS}/_kedge
                       COMMAND kedge_cli completion fish > ${KEDGE_TEXTS}/kedge.fish
                       DEPENDS kedge_cli VERBATIM)
    add_custom_target(kedge_texts ALL DEPENDS ${KEDGE_TEXTS}/man1/kedge.1)
    install(DIRECTORY ${KEDGE_TEXTS}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program)
    install(FILES ${KEDGE_TEXTS}/kedge DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
            COMPONENT program)
    install(FILES ${KEDGE_TEXTS}/_kedge DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
    install(FILES ${KEDGE_TEXTS}/kedge.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
            COMPONENT program)
  endif()
  include(cmake/package.cmake)
endif()
