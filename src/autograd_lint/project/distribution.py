"""Whether others install a project, or it is run where it lies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograd_lint.project.modules import Project

_SETUP = "setup.py"
# Tables that say how a project is built or what it is called; other tools have settings there too.
_TABLES = {
    "pyproject.toml": (b"[project]", b"[build-system]", b"[tool.poetry]"),
    "setup.cfg": (b"[metadata]", b"[options]"),
}


def is_distributed(project: Project) -> bool:
    """Whether a file of the project says how it is built, or it lies where packages are installed:
    then code that nobody has seen calls what it defines."""
    asked = [root / name for root in project.roots for name in (_SETUP, *_TABLES)]
    project.trail |= {str(path) for path in asked}
    return any(map(_says, asked)) or any(_installed(project))


def _says(path: Path) -> bool:
    if not path.is_file():
        return False
    tables = _TABLES.get(path.name)
    return tables is None or any(table in path.read_bytes() for table in tables)


def _installed(project: Project) -> Iterator[bool]:
    """Whether each root holds installed packages (PEP 376)."""
    return (any(root.glob("*.dist-info")) for root in project.roots)
