"""Which Python a project is written for, as its files tell.

Source: https://packaging.python.org/en/latest/specifications/pyproject-toml/#requires-python and
https://docs.python.org/3/whatsnew/3.12.html (PEP 695, PEP 701).
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
_LONGEST = 500  # characters of a line that are looked at
NEWER_SYNTAX: dict[Minor, re.Pattern[str]] = {
    (3, 12): re.compile(
        r"\s*type\s+\w+\s*(?:\[.*\]\s*)?=|\s*(?:(?:async\s+)?def|class)\s+\w+\["
        r"|.*\b[rR]?[fF][rR]?([\"'])(?:(?!\1).)*\{[^}]*\1[^}]*\1[^}]*\}"
        r"|.*\b[rR]?[fF][rR]?([\"'])(?!\2\2)(?:(?!\2).)*\{(?:(?!\2)[^}])*[,(\[]\s*$"
    ),
}
"""What a Python reads that none before it does: `type X = int`, `def f[T](x)`, `f"{d["key"]}"`, and
`f"{call(a,` that goes on in the next line."""


def newer_syntax(line: str) -> Minor | None:
    """The Python that reads a line which the one that runs cannot parse; None where none is known
    to."""
    known = (one for one, written in NEWER_SYNTAX.items() if written.match(line[:_LONGEST]))
    return next((one for one in known if one > sys.version_info[:2]), None)


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
