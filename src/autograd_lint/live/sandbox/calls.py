"""The system calls that a witness may make: files, memory, threads of its own, time.

Source of the numbers: asm/unistd_64.h (x86_64) and asm-generic/unistd.h (aarch64); of the values of
arguments: linux/prctl.h, asm-generic/fcntl.h, asm-generic/ioctls.h.
"""

import os
from collections.abc import Mapping

# What has no side effect outside of files (which Landlock and mounts guard) and of the process.
ALLOWED: Mapping[str, Mapping[str, int]] = {
    "x86_64": {
        "read": 0, "write": 1, "readv": 19, "writev": 20, "pread64": 17, "pwrite64": 18,
        "preadv": 295, "pwritev": 296, "preadv2": 327, "pwritev2": 328, "close": 3,
        "close_range": 436, "lseek": 8, "sendfile": 40, "copy_file_range": 326, "mmap": 9,
        "mprotect": 10, "munmap": 11, "mremap": 25, "madvise": 28, "brk": 12, "mincore": 27,
        "msync": 26, "mlock": 149, "munlock": 150, "get_mempolicy": 239, "open": 2, "openat": 257,
        "stat": 4, "fstat": 5, "lstat": 6, "newfstatat": 262, "statx": 332, "statfs": 137,
        "fstatfs": 138, "access": 21, "faccessat": 269, "faccessat2": 439, "readlink": 89,
        "readlinkat": 267, "getdents": 78, "getdents64": 217, "getcwd": 79, "chdir": 80,
        "fchdir": 81, "mkdir": 83, "mkdirat": 258, "rmdir": 84, "unlink": 87, "unlinkat": 263,
        "rename": 82, "renameat": 264, "renameat2": 316, "symlink": 88, "symlinkat": 266,
        "ftruncate": 77, "fallocate": 285, "fadvise64": 221, "fsync": 74, "fdatasync": 75,
        "flock": 73, "umask": 95, "dup": 32, "dup2": 33, "dup3": 292, "pipe": 22, "pipe2": 293,
        "eventfd": 284, "eventfd2": 290, "epoll_create": 213, "epoll_create1": 291,
        "epoll_ctl": 233, "epoll_wait": 232, "epoll_pwait": 281, "poll": 7, "ppoll": 271,
        "select": 23, "pselect6": 270, "futex": 202, "futex_waitv": 449, "set_robust_list": 273,
        "get_robust_list": 274, "rseq": 334, "membarrier": 324, "set_tid_address": 218,
        "gettid": 186, "exit": 60, "exit_group": 231, "restart_syscall": 219, "rt_sigaction": 13,
        "rt_sigprocmask": 14, "rt_sigreturn": 15, "rt_sigtimedwait": 128, "rt_sigpending": 127,
        "rt_sigsuspend": 130, "sigaltstack": 131, "pause": 34, "getpid": 39, "getppid": 110,
        "getuid": 102, "geteuid": 107, "getgid": 104, "getegid": 108, "getresuid": 118,
        "getresgid": 120, "getgroups": 115, "getpgid": 121, "getpgrp": 111, "getsid": 124,
        "getrlimit": 97, "getrusage": 98, "getpriority": 140, "times": 100, "sysinfo": 99,
        "uname": 63, "capget": 125, "clock_gettime": 228, "clock_getres": 229,
        "clock_nanosleep": 230, "nanosleep": 35, "gettimeofday": 96, "time": 201, "setitimer": 38,
        "getitimer": 36, "alarm": 37, "sched_yield": 24, "sched_getaffinity": 204,
        "sched_getparam": 143, "sched_getscheduler": 145, "sched_get_priority_max": 146,
        "sched_get_priority_min": 147, "getcpu": 309, "getrandom": 318, "arch_prctl": 158,
    },
    "aarch64": {
        "read": 63, "write": 64, "readv": 65, "writev": 66, "pread64": 67, "pwrite64": 68,
        "preadv": 69, "pwritev": 70, "preadv2": 286, "pwritev2": 287, "close": 57,
        "close_range": 436, "lseek": 62, "sendfile": 71, "copy_file_range": 285, "mmap": 222,
        "mprotect": 226, "munmap": 215, "mremap": 216, "madvise": 233, "brk": 214, "mincore": 232,
        "msync": 227, "mlock": 228, "munlock": 229, "get_mempolicy": 236, "openat": 56,
        "fstat": 80, "newfstatat": 79, "statx": 291, "statfs": 43, "fstatfs": 44, "faccessat": 48,
        "faccessat2": 439, "readlinkat": 78, "getdents64": 61, "getcwd": 17, "chdir": 49,
        "fchdir": 50, "mkdirat": 34, "unlinkat": 35, "renameat": 38, "renameat2": 276,
        "symlinkat": 36, "ftruncate": 46, "fallocate": 47, "fadvise64": 223, "fsync": 82,
        "fdatasync": 83, "flock": 32, "umask": 166, "dup": 23, "dup3": 24, "pipe2": 59,
        "eventfd2": 19, "epoll_create1": 20, "epoll_ctl": 21, "epoll_pwait": 22, "ppoll": 73,
        "pselect6": 72, "futex": 98, "futex_waitv": 449, "set_robust_list": 99,
        "get_robust_list": 100, "rseq": 293, "membarrier": 283, "set_tid_address": 96,
        "gettid": 178, "exit": 93, "exit_group": 94, "restart_syscall": 128, "rt_sigaction": 134,
        "rt_sigprocmask": 135, "rt_sigreturn": 139, "rt_sigtimedwait": 137, "rt_sigpending": 136,
        "rt_sigsuspend": 133, "sigaltstack": 132, "getpid": 172, "getppid": 173, "getuid": 174,
        "geteuid": 175, "getgid": 176, "getegid": 177, "getresuid": 148, "getresgid": 150,
        "getgroups": 158, "getpgid": 155, "getsid": 156, "getrlimit": 163, "getrusage": 165,
        "getpriority": 141, "times": 153, "sysinfo": 179, "uname": 160, "capget": 90,
        "clock_gettime": 113, "clock_getres": 114, "clock_nanosleep": 115, "nanosleep": 101,
        "gettimeofday": 169, "setitimer": 103, "getitimer": 102, "sched_yield": 124,
        "sched_getaffinity": 123, "sched_getparam": 121, "sched_getscheduler": 120,
        "sched_get_priority_max": 125, "sched_get_priority_min": 126, "getcpu": 168,
        "getrandom": 278,
    },
}  # fmt: skip

# A driver of NVIDIA's talks to its devices by `ioctl`, places memory, and waits on a socket for
# other processes that want to share its memory (nobody is there to connect to it).
FOR_CUDA: Mapping[str, Mapping[str, int]] = {
    "x86_64": {
        "ioctl": 16, "memfd_create": 319, "mbind": 237, "set_mempolicy": 238, "bind": 49,
        "listen": 50,
    },
    "aarch64": {
        "ioctl": 29, "memfd_create": 279, "mbind": 235, "set_mempolicy": 237, "bind": 200,
        "listen": 201,
    },
}  # fmt: skip
# It asks whether another process shares the device among several: none is there.
CONNECT: Mapping[str, int] = {"x86_64": 42, "aarch64": 203}

CLONE: Mapping[str, int] = {"x86_64": 56, "aarch64": 220}
# The C library and Python do without these where they are told that there are none.
UNKNOWN: Mapping[str, int] = {"clone3": 435, "openat2": 437}

_LIMITS, _SIGNAL, _PROPERTY, _DESCRIPTOR, _DEVICE = 0, 0, 0, 1, 1  # the argument that decides
_FAMILY, _OPTION, _UNIX, _CREDENTIALS = 0, 2, 1, 16  # AF_UNIX, SO_PASSCRED
_NAMES, _MEMORY_NAMES = (15, 16), 0x53564D41  # PR_SET_NAME, PR_GET_NAME; PR_SET_VMA
_ON_TERMINALS = (0x5401, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, FIONREAD, FIONBIO, FIO(N)CLEX
# Duplicates, flags and locks; not F_SETOWN and the like, which send signals.
_ON_DESCRIPTORS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1031, 1032, 1034)


def by_argument(machine: str, cuda: bool) -> dict[int, tuple[int, tuple[int, ...]]]:
    """Calls that are allowed with some values only: number, and which argument may be what.

    Signals may go to threads of the calling process, limits be asked for of itself; a socket, for
    CUDA, is one within this machine.
    """
    own = os.getpid()
    named = {
        "prlimit64": (_LIMITS, (0, own)),
        "tgkill": (_SIGNAL, (own,)),
        "prctl": (_PROPERTY, (*_NAMES, _MEMORY_NAMES)),
        "fcntl": (_DESCRIPTOR, _ON_DESCRIPTORS),
        "ioctl": (_DEVICE, _ON_TERMINALS),
    }
    if cuda:
        named |= {"socket": (_FAMILY, (_UNIX,)), "setsockopt": (_OPTION, (_CREDENTIALS,))}
    return {_BY_ARGUMENT[machine][name]: decided for name, decided in named.items()}


_BY_ARGUMENT: Mapping[str, Mapping[str, int]] = {
    "x86_64": {
        "prlimit64": 302, "tgkill": 234, "prctl": 157, "fcntl": 72, "ioctl": 16, "socket": 41,
        "setsockopt": 54,
    },
    "aarch64": {
        "prlimit64": 261, "tgkill": 131, "prctl": 167, "fcntl": 25, "ioctl": 29, "socket": 198,
        "setsockopt": 208,
    },
}  # fmt: skip
