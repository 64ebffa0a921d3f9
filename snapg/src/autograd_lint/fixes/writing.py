"""Writing a file so that it is never half written."""

import os
import shutil
import tempfile
from contextlib import suppress

from autograd_lint.errors import Trouble


def write(filename: str, data: bytes) -> None:
    """Replace the content of a file, beside which the new one is written first.

    Links stay links, and the file keeps its rights. Raises Trouble where it cannot be written.
    """
    target = os.path.realpath(filename)
    try:
        if not os.access(target, os.W_OK):
            raise PermissionError(None, "Permission denied")
        handle, beside = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".autograd-lint-")
    except OSError as error:
        raise _trouble(filename, error) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        shutil.copymode(target, beside)
        os.replace(beside, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(beside)
        if isinstance(error, OSError):
            raise _trouble(filename, error) from None
        raise


def _trouble(filename: str, error: OSError) -> Trouble:
    return Trouble(f"{filename}: cannot be written ({error.strerror}); mend its rights")
