"""What a hostile program tries, each as a few lines that end without an error where they get out.

`{project}` is the folder of the program, in which `data.txt`, `.hidden/notes.py` and the link
`linked.py` to a secret lie; `{secret}` is a file above it. `other.py` is a source of the project,
which a witness may read. Numbers of calls are those of x86_64. A probe raises nothing but what the
system answers, so that a name that Python does not have is never taken for a refusal.
"""

NAME, KEY = "autograd-lint-escape", 4242  # of what they try to leave behind

PRELUDE = """\
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def answered(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def call(number, *arguments):
    return answered(libc.syscall(ctypes.c_long(number), *arguments))
def text(value):
    return ctypes.c_char_p(value.encode())
here = os.path.realpath(os.environ["HOME"])
"""

FILES = {
    "write a file of the project": "open('{project}/data.txt', 'w')",
    "append to a file": "os.open('{secret}', os.O_WRONLY | os.O_APPEND)",
    "append to a source of the project": "open('{project}/other.py', 'a')",
    "delete a file of the project": "os.unlink('{project}/data.txt')",
    "rename a file of the project": "os.rename('{project}/data.txt', '{project}/b.txt')",
    "delete a source of the project": "os.unlink('{project}/other.py')",
    "rename a source of the project": "os.rename('{project}/other.py', '{project}/b.py')",
    "make a folder in the project": "os.mkdir('{project}/made')",
    "exchange files": "one = text('{project}/other.py')\ncall(316, -100, one, -100, one, 2)",
    "write into the temporary folder": "open('/tmp/autograd-lint-escape', 'w')",
    "write into a package": "open(os.path.join(os.path.dirname(os.__file__), 'x.py'), 'w')",
    "append to a module of Python": "open(os.__file__, 'a')",
    "remove a module of Python": "os.unlink(os.__file__)",
    "shorten a file by its path": "os.truncate('{secret}', 0)",
    "shorten a file by opening it": "os.open('{secret}', os.O_RDONLY | os.O_TRUNC)",
    "link to a file": "os.link('{project}/other.py', here + '/linked')",
    "make a pipe with a name": "os.mkfifo(here + '/fifo')",
    "make a device": "os.mknod(here + '/device', 0o020666, os.makedev(1, 1))",
    "change the mode by path": "os.chmod('{project}/other.py', 0o777)",
    "change the mode in the own folder": "os.chmod(here, 0o4777)",
    "change the mode by descriptor": "os.fchmod(os.open('{project}/other.py', os.O_RDONLY), 0o777)",
    "change the mode by fchmodat2": "call(452, -100, text('{project}/other.py'), 0o777, 0)",
    "change the owner": "os.chown('{project}/other.py', 1, 1)",
    "change the owner of a link": "os.lchown('{project}/other.py', 1, 1)",
    "change times": "os.utime('{project}/other.py', (1, 1))",
    "change times by descriptor": "os.utime(os.open('{project}/other.py', os.O_RDONLY), (1, 1))",
    "set an extended attribute": "os.setxattr('{project}/other.py', 'user.x', b'x')",
    "remove an extended attribute": "os.removexattr('{project}/other.py', 'user.x')",
    "list extended attributes": "os.listxattr('{project}/other.py')",
    "write shared memory": "open('/dev/shm/autograd-lint-escape', 'w')",
    "make shared memory": "import _posixshmem\n_posixshmem.shm_open('/autograd-lint-escape', 64)",
    "choose to be killed last": "open('/proc/self/oom_score_adj', 'w').write('-1')",
    "write a setting of the kernel": "open('/proc/sys/kernel/core_pattern', 'w').write('x')",
    "write the map of users": "open('/proc/self/uid_map', 'w').write('0 0 1')",
    "write to the memory of others": "open('/proc/1/mem', 'r+b')",
    "open by handle": "call(304, -1, ctypes.create_string_buffer(128), 0)",
    "read the users": "open('/etc/passwd').read()",
    "read the passwords": "open('/etc/shadow').read()",
    "read a secret above the project": "open('{secret}').read()",
    "read a file of the project that is no source": "open('{project}/data.txt').read()",
    "read a hidden folder": "open('{project}/.hidden/notes.py').read()",
    "read through a link": "open('{project}/linked.py').read()",
    "read the home folder": "os.listdir(os.path.expanduser('~root'))",
    "list the temporary folder's owner": "os.listdir('/home')",
    "read the environment of the server": "open('/proc/1/environ').read()",
    "read the command line of the server": "open('/proc/1/cmdline').read()",
    "read the memory of the server": "open('/proc/1/mem', 'rb').read(1)",
    "open a descriptor of the server": "open('/proc/1/fd/0', 'rb')",
    "list descriptors of the server": "os.listdir('/proc/1/fd')",
    "list processes": "os.listdir('/proc')",
    "read keys": "open('/proc/keys').read()",
    "read the kernel's symbols": "open('/proc/kallsyms').read()",
    "look into the host's root": "os.listdir('/proc/1/root')",
    "look into a device": "open('/dev/kmsg')",
    "open the terminal": "open('/dev/tty')",
    "look at disks": "os.stat('/dev/vda'); open('/dev/vda')",
}

PROCESSES = {
    "fork": "os.fork()",
    "vfork": "call(58)",
    "clone": "call(56, 17, 0, 0, 0, 0)",
    "clone3": "call(435, ctypes.create_string_buffer(88), 88)",
    "clone into a namespace": "call(56, 0x10000 | 0x10000000, 0, 0, 0, 0)",
    "exec": "os.execv('/bin/sh', ['sh'])",
    "exec by descriptor": "call(322, -100, text(sys.executable), None, None, 0)",
    "spawn": "os.posix_spawn(sys.executable, ['python'], {})",
    "subprocess": "import subprocess\nsubprocess.run([sys.executable, '-c', ''])",
    "system": "if libc.system(b'true'): raise PermissionError(1, 'no shell was run')",
    "kill the server": "os.kill(os.getppid(), 9)",
    "kill the first process": "os.kill(1, 9)",
    "kill everything": "os.kill(-1, 9)",
    "kill the group": "os.killpg(0, 9)",
    "signal a thread of another": "call(234, 1, 1, 9)",
    "signal by tkill": "call(200, 1, 9)",
    "queue a signal": "call(129, 1, 9, ctypes.create_string_buffer(128))",
    "signal by descriptor": "os.pidfd_open(1)",
    "send to a descriptor": "call(424, 0, 9, None, 0)",
    "take a descriptor": "call(438, 0, 0, 0)",
    "trace": "call(101, 16, 1, 0, 0)",
    "read another's memory": "call(310, 1, None, 0, None, 0, 0)",
    "write another's memory": "call(311, 1, None, 0, None, 0, 0)",
    "limit the server": "import resource as r\nr.prlimit(os.getppid(), r.RLIMIT_CPU, (1, 1))",
    "ask for limits of the server": "import resource\nresource.prlimit(1, resource.RLIMIT_CPU)",
    "slow the server down": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    "move the server": "os.sched_setaffinity(os.getppid(), [0])",
    "schedule the server": "os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))",
    "set the server's disk priority": "call(251, 1, 1, 0)",
    "own signals of descriptors": "import fcntl\nfcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, 1)",
    "outlive the server": "answered(libc.prctl(1, 0, 0, 0, 0))",
    "take orphans": "answered(libc.prctl(36, 1, 0, 0, 0))",
    "wait for others": "os.waitpid(-1, 0)",
    "a session of its own": "os.setsid()",
}

KERNEL = {
    "become the superuser": "os.setuid(0)",
    "become another": "os.setresuid(1, 1, 1)",
    "change groups": "os.setgroups([0])",
    "take capabilities": "call(126, b'\\x22\\x05\\x08\\x20' + bytes(4), bytes(24))",
    "a namespace of users": "call(272, 0x10000000)",
    "a namespace of mounts": "call(272, 0x20000)",
    "enter a namespace": "call(308, os.open('/proc/self/ns/net', os.O_RDONLY), 0)",
    "mount": "call(165, text('x'), text(here), text('tmpfs'), 0, None)",
    "unmount": "call(166, text('/proc'), 2)",
    "change the root": "os.chroot(here)",
    "pivot the root": "call(155, text(here), text(here))",
    "open a tree": "call(428, -100, text('/'), 1)",
    "a file system": "call(430, text('tmpfs'), 0)",
    "a filter of its own": "call(317, 1, 0, None)",
    "rules of its own": "call(444, None, 0, 1)",
    "programs in the kernel": "call(321, 0, None, 0)",
    "performance counters": "call(298, None, 0, -1, -1, 0)",
    "faults of pages": "call(323, 0)",
    "another personality": "call(135, 0x0040000)",
    "a module of the kernel": "call(175, None, 0, text(''))",
    "restart": "call(169, 0, 0, 0, None)",
    "another kernel": "call(246, 0, 0, None, 0)",
    "the clock": "import time\ntime.clock_settime(time.CLOCK_REALTIME, 1)",
    "the name of the host": "import socket\nsocket.sethostname('x')",
    "swap": "call(167, text(here), 0)",
    "quotas": "call(179, 0, None, 0, None)",
    "accounting": "call(163, text(here))",
    "the kernel's messages": "call(103, 3, None, 0)",
    "files without a name": "os.memfd_create('x')",
    "watching files": "call(253)",
    "calls in rings": "call(425, 1, ctypes.create_string_buffer(120))",
    "calls of another kind": "call(0x40000000 + 39)",
    "shared memory that stays": "call(29, 4242, 4096, 0o1666)",
    "semaphores that stay": "call(64, 4242, 1, 0o1666)",
    "queues that stay": "call(68, 4242, 0o1666)",
    "a queue with a name": "call(240, text('autograd-lint-escape'), 0o102, 0o600, None)",
    "a key": "call(248, text('user'), text('autograd-lint-escape'), text('x'), 1, -4)",
    "a request for a key": "call(249, text('user'), text('autograd-lint-escape'), None, -4)",
    "a keyring": "call(250, 0, -3, 1)",
    "typing into the terminal": "import fcntl\nfcntl.ioctl(0, 0x5412, b'x')",
}

NETWORK = {
    "a connection": "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_STREAM)",
    "a datagram": "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "the new protocol": "import socket\nsocket.socket(socket.AF_INET6, socket.SOCK_STREAM)",
    "a socket of the system": "import socket\nsocket.socket(socket.AF_UNIX, socket.SOCK_STREAM)",
    "a pair of sockets": "import socket\nsocket.socketpair()",
    "the kernel's network": "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "packets": "import socket\nsocket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "the host beside the machine": "call(41, 40, 1, 0)",
    "encryption by the kernel": "call(41, 38, 5, 0)",
    "connect a descriptor": "call(42, 0, ctypes.create_string_buffer(16), 16)",
    "send to an address": "call(44, 0, b'x', 1, 0, ctypes.create_string_buffer(16), 16)",
}

PROBES = {**FILES, **PROCESSES, **KERNEL, **NETWORK}

# The numbers of what the system answers to what it refuses. What is not shown is not there.
_NOT_ALLOWED, _NOT_THERE, _NO_ACCESS, _READ_ONLY, _UNKNOWN = 1, 2, 13, 30, 38


def is_refusal(name: str, error: str) -> bool:
    """Whether an error, as a witness tells it, is what a refused probe of this name raises."""
    numbers = {_NOT_ALLOWED}
    if name in FILES:
        numbers |= {_NOT_THERE, _NO_ACCESS, _READ_ONLY}
    if name == "clone3":
        numbers = {_UNKNOWN}  # so that the C library falls back to `clone`, which is refused
    kinds = ("PermissionError", "FileNotFoundError", "OSError")
    return error.startswith(tuple(f"{kind}: [Errno {one}] " for kind in kinds for one in numbers))
