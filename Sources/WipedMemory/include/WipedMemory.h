// Has the memory that this program frees overwritten.
//
// There is nothing to call: a program that links this module has a `free` and a `realloc` that first overwrite what
// they are given, whoever calls them. Swift copies text and bytes as it likes; this reaches every copy once it is freed.
// What is still in use, and what lies on a thread's stack, is not reached.
#pragma once
