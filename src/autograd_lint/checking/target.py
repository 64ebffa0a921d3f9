"""Which torch the operators of a project are those of."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from autograd_lint.errors import Trouble

if TYPE_CHECKING:
    from autograd_lint.configuration.governing import Governing
    from autograd_lint.project.roots import Home


@dataclass(frozen=True)
class Target:
    """A version of torch that operators were measured on, and what says that code is written for
    it."""

    version: str
    reason: str


def target_of(settings: Governing, home: Home) -> Target:
    """The torch that a project is written for: the one that its settings name, else the one that
    its files pin, limit or have installed, else the newest."""
    with suppress(Trouble):  # it is told where it governs a file that is checked
        named = settings.of(str(home.roots[0] / "main.py"))
        if named.target_torch is not None:
            return Target(named.target_torch, f"{named.file or 'the command line'}")
    from autograd_lint.configuration.pins import pinned
    from autograd_lint.operators.table import nearest, versions

    found = pinned(home.roots)
    if found is None:
        return Target(versions()[-1], "the newest that operators were measured on")
    return Target(nearest(found.version), f"{found.file}")
