"""The gate: what is not even parsed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # What the gate rejects needs no project.
    from autograd_lint.project.modules import Project

# A statement outside of functions and classes that may call something.
_RUNS = re.compile(
    rb"^(?:if|for|while|with|try|[A-Za-z_][\w.]*(?:[ \t]*=[ \t]*[\w.]+)?\()", re.MULTILINE
)


def mentions_torch(data: bytes) -> bool:
    """Whether a file has the word in it, without which it holds nothing for autograd itself."""
    return b"torch" in data


def may_run_others(data: bytes) -> bool:
    """Whether a file imports something and runs statements of its own: it may be a script."""
    return b"import" in data and _RUNS.search(data) is not None


def lets_through(data: bytes, filename: str, project: Project) -> bool:
    """Whether a file has to be looked at: it speaks of torch, or may run other files that do."""
    if mentions_torch(data):
        return True
    return may_run_others(data) and any(
        project.look(path, mentions_torch) for path in project.reached(filename)
    )
