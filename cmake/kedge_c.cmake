# libkedge_c.so: the C ABI (kedge/kedge_c.h) with the library inside. Nothing but kedge_* can be seen from outside, so
# that a process may hold other copies of what is linked into it.
file(GLOB KEDGE_C_SOURCES CONFIGURE_DEPENDS kedge/abi/*.cpp)
add_library(kedge_c SHARED ${KEDGE_C_SOURCES})
add_library(kedge::kedge_c ALIAS kedge_c)
target_include_directories(kedge_c PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_link_libraries(kedge_c PRIVATE kedge kedge_warnings kedge_sanitized)
target_compile_options(kedge_c PRIVATE ${KEDGE_COLD_OPTIONS})
target_precompile_headers(kedge_c PRIVATE ${KEDGE_COMMON_HEADERS} kedge/core/format.h)
set_target_properties(kedge_c PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                      LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/kedge_c.map)
target_link_options(kedge_c PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/kedge_c.map -Wl,--gc-sections)
