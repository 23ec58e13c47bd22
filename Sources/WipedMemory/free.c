#include "WipedMemory.h"
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

// The sanitizers have an allocator of their own, and other C libraries have no other name for theirs.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_OTHER_ALLOCATOR 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_OTHER_ALLOCATOR)

// What `free` is called inside the C library. The linker puts ours in its place for every library of the program.
extern void __libc_free(void *pointer);

// A block with a mapping of its own goes back to the kernel at once, which shows its pages to nobody. Writing to it would
// make pages resident that were never used. The C library keeps this mark in the word before each block.
static int has_own_mapping(void *pointer) { return (((size_t *)pointer)[-1] & 2) != 0; }

void free(void *pointer) {
    if (pointer == NULL) return;
    // Not left out by the compiler: it cannot know what the other function does with the bytes.
    if (!has_own_mapping(pointer)) memset(pointer, 0, malloc_usable_size(pointer));
    __libc_free(pointer);
}

// The library's own would leave the bytes where they were when it moves them.
void *realloc(void *pointer, size_t size) {
    if (pointer == NULL) return malloc(size);
    if (size == 0) {
        free(pointer);
        return NULL;
    }
    size_t had = malloc_usable_size(pointer);
    if (size <= had && size >= had / 2) {
        memset((char *)pointer + size, 0, had - size);
        return pointer;
    }
    void *moved = malloc(size);
    if (moved == NULL) return NULL;
    memcpy(moved, pointer, size < had ? size : had);
    free(pointer);
    return moved;
}

#endif
