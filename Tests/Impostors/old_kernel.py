#!/usr/bin/python3
"""Runs a program as on a kernel that does not say who is behind a socket: Linux 6.1, as Debian 12 has it.

`SO_PEERPIDFD` (Linux 6.5) and `PIDFD_GET_INFO` (6.13) fail with what such a kernel answers.
"""
import ctypes, os, platform, struct, sys

GETSOCKOPT, IOCTL = {"x86_64": (55, 16), "aarch64": (209, 29)}[platform.machine()]
LOAD, AND, EQUAL, RETURN = 0x20, 0x54, 0x15, 0x06
ALLOW, ERROR, NO_OPTION, NO_CALL = 0x7FFF0000, 0x00050000, 92, 25
NUMBER, SECOND, THIRD = 0, 24, 32  # Where struct seccomp_data has them.

lines = [
    (LOAD, 0, 0, NUMBER), (EQUAL, 2, 0, GETSOCKOPT), (EQUAL, 4, 0, IOCTL), (RETURN, 0, 0, ALLOW),
    (LOAD, 0, 0, THIRD), (EQUAL, 5, 0, 77), (RETURN, 0, 0, ALLOW),
    (LOAD, 0, 0, SECOND), (AND, 0, 0, 0xFFFF), (EQUAL, 2, 0, 0xFF0B), (RETURN, 0, 0, ALLOW),
    (RETURN, 0, 0, ERROR | NO_OPTION), (RETURN, 0, 0, ERROR | NO_CALL),
]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_void_p)]


libc = ctypes.CDLL(None, use_errno=True)
libc.prctl.argtypes = [ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong]
filter = Filter(len(lines), ctypes.addressof(program))
if libc.prctl(22, 2, ctypes.byref(filter), 0, 0) != 0:
    sys.exit("old_kernel: " + os.strerror(ctypes.get_errno()))
os.execv(sys.argv[1], sys.argv[1:])
