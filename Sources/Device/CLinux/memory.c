#define _GNU_SOURCE
#include "CLinux.h"
#include <string.h>

__attribute__((noinline)) void clinux_wipe_stack(void) {
    char rest[32768];
    explicit_bzero(rest, sizeof rest);
}
