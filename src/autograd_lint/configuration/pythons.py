"""Which Python a project is written for, as its files tell.

Source: https://packaging.python.org/en/latest/specifications/pyproject-toml/#requires-python
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from autograd_lint import disk
from autograd_lint.configuration.specifiers import Minor, minor

_TELLS = {
    "pyproject.toml": re.compile(
        r"^(?:requires-python|python) *= *[\"'](?:>=|~=|==|\^|~)([^\"',]+)", re.M
    ),
    "setup.cfg": re.compile(r"^python_requires *= *(?:>=|~=|==)([^,\n]+)", re.M),
    "setup.py": re.compile(r"python_requires *= *[\"'](?:>=|~=|==)([^\"',]+)"),
    ".python-version": re.compile(r"\A([\d.]+)"),
}


def newer_python(folders: Iterable[Path]) -> Minor | None:
    """The oldest Python that the first of some folders that tells of one allows, where it is newer
    than the one that runs; None where this one will do."""
    oldest = next(filter(None, map(_oldest, folders)), None)
    return oldest if oldest is not None and oldest > sys.version_info[:2] else None


def _oldest(folder: Path) -> Minor | None:
    """The oldest Python that the files of a folder allow."""
    return next(filter(None, (_told(folder / name, tells) for name, tells in _TELLS.items())), None)


def _told(path: Path, tells: re.Pattern[str]) -> Minor | None:
    try:
        found = tells.search(disk.read_text(path))
    except (OSError, UnicodeDecodeError):
        return None
    return minor(found[1].strip()) if found else None
