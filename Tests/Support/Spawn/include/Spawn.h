// Programs started by tests, in place of Foundation's Process: with many of them that has missed the end of one.
#pragma once
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Starts a program in a process group of its own, with `input` (-1 for nothing to read) and `output` and no other
/// descriptor; its number, or a negative errno value.
int32_t spawn_program(const char *path, char *const _Nullable *_Nonnull arguments,
                      char *const _Nullable *_Nonnull environment, int input, int output);

/// Waits until it has ended, and leaves it to be collected; 0, or a negative errno value.
int spawn_wait(int32_t process);

/// Collects what has ended: its exit status, or the negative number of the signal that ended it.
int spawn_collect(int32_t process);

#pragma clang assume_nonnull end
