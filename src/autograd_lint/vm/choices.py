"""What a run has decided where a condition is unknown."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograd_lint.vm.paths import Path
from autograd_lint.vm.values import Unknown


@dataclass(slots=True)
class Choices:
    """The path of a run, and which of its decisions was made on which unknown.

    `truths` are positions on the path, `options` what a harness has made objects with.
    """

    path: Path
    truths: dict[Unknown, int] = field(default_factory=dict)
    options: set[Unknown] = field(default_factory=set)

    def aside(self) -> Choices:
        """Choices on a path of their own."""
        return Choices(Path(), {}, self.options)

    def decided(self, unknown: Unknown) -> bool | None:
        """What the path has already taken the unknown to be, if it was asked for."""
        if unknown.negates is not None:
            found = self.decided(unknown.negates)
            return None if found is None else not found
        position = self.truths.get(unknown)
        return None if position is None else self.path.decisions[position].taken

    def found_true(self, unknown: Unknown) -> bool:
        """Whether the path has already taken the unknown to be true."""
        position = self.truths.get(unknown)
        return position is not None and self.path.decisions[position].taken

    def lasts(self, unknown: Unknown | None) -> bool:
        """Whether an option is decided with which an object was made."""
        while unknown is not None and unknown not in self.options:
            unknown = unknown.parent
        return unknown is not None
