"""Writing a file so that it is never half written."""

import os
import stat

from autograd_lint.errors import Trouble
from autograd_lint.fixes import copies


def write(filename: str, data: bytes) -> None:
    """Replace the content of a file, beside which the new one is written first.

    Links stay links, and the file keeps its rights. Copies that a killed run has left in the folder
    are removed. Raises Trouble where the file cannot be written.
    """
    target = os.path.realpath(filename)
    folder = os.path.dirname(target)
    try:
        if not os.access(target, os.W_OK):
            raise PermissionError(None, "Permission denied")
        copies.clear(folder)
        mode = stat.S_IMODE(os.stat(target).st_mode)
        with copies.made(folder, data, mode) as copy:
            os.replace(copy, target)
    except OSError as error:
        raise _trouble(filename, error) from None


def _trouble(filename: str, error: OSError) -> Trouble:
    return Trouble(f"{filename}: cannot be written ({error.strerror}); change its permissions")
