"""What the process of a kernel may not do to others: trace them, read or write their memory, send them signals.

Landlock denies the first two to whoever has restricted itself at all, and signals since Linux 6.12. Its first version, of Linux
5.13 to 5.18, also refuses to move files between folders, as caches of compiled kernels do: it is not used.
"""

from __future__ import annotations

import ctypes
import os
import struct

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # system calls, with the same numbers on all processors
_VERSION, _PATH_BENEATH, _MOVE, _SCOPE_SIGNAL = 1, 1, 1 << 13, 2
_NO_NEW_PRIVILEGES = 38


def landlock_version() -> int:
    """0 where the system has none that serves."""
    version: int = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    return version if version > 1 else 0


def fence() -> bool:
    """Restricts this process and its children. Returns whether the system can."""
    version, libc = landlock_version(), ctypes.CDLL(None)
    if version == 0:
        return False
    rights = struct.pack("<QQQ", _MOVE, 0, _SCOPE_SIGNAL)[: 24 if version >= 6 else 8]
    ruleset = libc.syscall(_CREATE_RULESET, rights, ctypes.c_size_t(len(rights)), ctypes.c_uint32(0))
    if ruleset < 0:
        return False
    root = os.open("/", os.O_PATH)
    rule = struct.pack("<Qi", _MOVE, root)  # allowed below /, which is everywhere
    libc.syscall(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint32(0))
    os.close(root)
    libc.prctl(_NO_NEW_PRIVILEGES, *map(ctypes.c_ulong, (1, 0, 0, 0)))
    is_fenced = libc.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)) == 0
    os.close(ruleset)
    return is_fenced
