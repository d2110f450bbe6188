"""A CUDA device whose memory this process holds, by the driver's own library."""

import contextlib
import ctypes

LARGEST_PIECE = 8 * 2**30


def _require(status: int, what: str) -> None:
    if status != 0:
        raise SystemExit(f"commands: {what} of the CUDA driver failed with status {status}")


@contextlib.contextmanager
def filled(megabytes_left: float):
    """While it lasts, only so much memory of the first device is free."""
    driver = ctypes.CDLL("libcuda.so.1")
    device, context, piece = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
    free, total, left = ctypes.c_size_t(), ctypes.c_size_t(), int(megabytes_left * 2**20)
    _require(driver.cuInit(0), "cuInit")
    _require(driver.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    _require(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    try:
        _require(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent")
        while True:
            _require(driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)), "cuMemGetInfo")
            if free.value < left + 2 * 2**20:
                break
            held = ctypes.c_size_t(min(free.value - left, LARGEST_PIECE))
            _require(driver.cuMemAlloc_v2(ctypes.byref(piece), held), "cuMemAlloc")
        yield
    finally:
        driver.cuDevicePrimaryCtxRelease_v2(device)
