"""Writing a file so that it is never half written."""

import os
import secrets
import stat
from contextlib import suppress

from autograd_lint.errors import Trouble


def write(filename: str, data: bytes) -> None:
    """Replace the content of a file, beside which the new one is written first.

    Links stay links, and the file keeps its rights. Raises Trouble where it cannot be written.
    """
    target = os.path.realpath(filename)
    beside = os.path.join(os.path.dirname(target), f".autograd-lint-{secrets.token_hex(4)}")
    try:
        if not os.access(target, os.W_OK):
            raise PermissionError(None, "Permission denied")
        mode = stat.S_IMODE(os.stat(target).st_mode)
        if not _write_nameless(beside, data, mode):
            _write_named(beside, data, mode)
        os.replace(beside, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(beside)
        if isinstance(error, OSError):
            raise _trouble(filename, error) from None
        raise


def _write_nameless(beside: str, data: bytes, mode: int) -> bool:
    """Write a file that has a name only once it is whole, so that a run that is killed leaves
    nothing behind; returns whether this system can do that (open(2), O_TMPFILE)."""
    if not hasattr(os, "O_TMPFILE"):
        return False
    try:
        handle = os.open(os.path.dirname(beside), os.O_TMPFILE | os.O_WRONLY, 0o600)
    except OSError:
        return False
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fchmod(handle, mode)
        try:
            os.link(f"/proc/self/fd/{handle}", beside, follow_symlinks=True)
        except OSError:
            return False
    return True


def _write_named(beside: str, data: bytes, mode: int) -> None:
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
    os.chmod(beside, mode)


def _trouble(filename: str, error: OSError) -> Trouble:
    return Trouble(f"{filename}: cannot be written ({error.strerror}); mend its rights")
