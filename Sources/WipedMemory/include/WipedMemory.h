// Has the memory that this program frees overwritten.
//
// For that there is nothing to call: a program that links this module has a `free` and a `realloc` that first overwrite what
// they are given, whoever calls them. Swift copies text and bytes as it likes; this reaches every copy once it is freed.
// What is still in use, and what lies on a thread's stack, is not reached.
#pragma once

/// Leaves no image of this process's memory behind when it crashes, and lets nobody but root look into it meanwhile.
///
/// Nor does Swift print a backtrace, which shows memory too. To be called first in `main`. What it starts inherits that it may leave no core file, but not the rest.
void forbid_core_dumps(void);


/// Has the C library keep little of what is freed, at the price of more calls of the kernel for large blocks. To be called
/// before there are threads.
void prefer_little_memory(void);

/// Gives what is freed back to the system; takes milliseconds for some hundred MiB.
void return_freed_memory(void);
