#include "CManagedAppLegacy.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Written in Swift, in ManagedAppLegacy.
extern int managed_app_legacy_begin(void);
extern void managed_app_legacy_end(void);

// Before main and its threads: what an app reads first is already there, even in one that never imports the module.
__attribute__((constructor)) static void begin(void) {
    if (managed_app_legacy_begin()) atexit(managed_app_legacy_end);
}

// Class metadata where Swift knows no Objective-C: kind, superclass, flags, address point of an instance, its size.
enum { at_superclass = 8, at_address_point = 20, at_size = 24 };

static const void *pointer(const void *from, size_t offset) {
    const void *value;
    memcpy(&value, (const char *)from + offset, sizeof value);
    return value;
}

static uint32_t number(const void *from, size_t offset) {
    uint32_t value;
    memcpy(&value, (const char *)from + offset, sizeof value);
    return value;
}

int cmanagedapplegacy_adopt(void *object, const void *ours, const void *theirs) {
    if (sizeof(void *) != 8 || pointer(ours, at_superclass) != theirs) return 0;
    if (number(ours, at_address_point) != number(theirs, at_address_point)) return 0;
    if (number(ours, at_size) != number(theirs, at_size)) return 0;
    // Another library, or another copy of this one, was here before.
    if (pointer(object, 0) != theirs) return 0;
    memcpy(object, &ours, sizeof ours);
    return 1;
}
