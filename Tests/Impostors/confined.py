#!/usr/bin/python3
"""Becomes a program for which the kernel refuses every change of a resource bound, as a filter of system calls can.

With `--namespaces` before the program it refuses `unshare` instead.
"""
import ctypes, os, platform, struct, sys

architecture, prlimit, unshare = {
    "x86_64": (0xC000003E, 302, 272), "aarch64": (0xC00000B7, 261, 97),
}[platform.machine()]
REFUSE, ALLOW = 0x00050001, 0x7FFF0000  # EPERM, or as it is
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
# `prlimit64` reads bounds, too: it changes one only where its third argument, at 32 in two words, is an address.
steps = [
    (LOAD, 0, 0, 4), (EQUAL, 0, 6, architecture), (LOAD, 0, 0, 0), (EQUAL, 0, 4, prlimit), (LOAD, 0, 0, 32),
    (EQUAL, 0, 3, 0), (LOAD, 0, 0, 36), (EQUAL, 0, 1, 0), (RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE),
]
command = sys.argv[1:]
if command[0] == "--namespaces":
    command = command[1:]
    steps = [
        (LOAD, 0, 0, 4), (EQUAL, 0, 3, architecture), (LOAD, 0, 0, 0), (EQUAL, 0, 1, unshare), (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


program = Program(len(steps), ctypes.addressof(code))
kernel = ctypes.CDLL(None, use_errno=True)
NO_NEW_RIGHTS, SECCOMP, FILTER = 38, 22, 2
assert kernel.prctl(NO_NEW_RIGHTS, 1, 0, 0, 0) == 0
assert kernel.prctl(SECCOMP, FILTER, ctypes.byref(program), 0, 0) == 0, os.strerror(ctypes.get_errno())
os.execv(command[0], command)
