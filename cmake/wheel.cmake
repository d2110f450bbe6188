# What a wheel of the Python package takes of the build: libkedge_c.so, beside the modules of python/kedge. It carries
# the C++ library, so a machine needs no more than the C library of its system. That of the compiler, libgcc_s, is on
# every Linux; a copy of it would need a newer C library (2.35 in place of 2.34).
foreach(target kedge kedge_c)
  # The target fmt::fmt-header-only would also define FMT_HEADER_ONLY; kedge/core/format.h says why not.
  target_include_directories(${target} SYSTEM PRIVATE
                             $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
endforeach()
target_link_options(kedge_c PRIVATE -static-libstdc++ -Wl,--no-undefined)
install(TARGETS kedge_c LIBRARY DESTINATION kedge COMPONENT wheel)
