// What the leak sanitizer is not to report: libhdf5 1.10 does not free all that it has read of a damaged
// file.

extern "C" const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
