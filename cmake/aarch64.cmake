# Cross-compiles for 64-bit ARM with Debian's g++-aarch64-linux-gnu and runs tests under QEMU: the preset `portable`.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
# Only headers of fmt are used, so the package of the host's architecture serves.
file(GLOB fmt_DIR /usr/lib/*/cmake/fmt)
