// Stands in for a library that Wine 8 lacks, which Rust's standard library imports for the seeds of its hash maps.
// The scene uses no hash map, so the numbers need not be random.
#include <stddef.h>

__declspec(dllexport) int ProcessPrng(unsigned char *bytes, size_t n_bytes) {
  for (size_t at = 0; at < n_bytes; at++) {
    bytes[at] = (unsigned char)at;
  }
  return 1;
}
