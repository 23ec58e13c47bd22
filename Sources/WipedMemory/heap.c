#include "WipedMemory.h"
// Any header of the C library says which one it is.
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void prefer_little_memory(void) {
#ifdef __GLIBC__
    // By default each busy thread fills a heap of up to 64 MiB of its own, and keeps it.
    mallopt(M_ARENA_MAX, 2);
    // A connection has buffers of 32 KiB: with a mapping each they go back when it ends, wherever they lie.
    mallopt(M_MMAP_THRESHOLD, 32 * 1024);
    // The kernel lets a process have 65,530 mappings; threads, files and the database need some too.
    mallopt(M_MMAP_MAX, 49152);
    mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
#endif
}

void return_freed_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
