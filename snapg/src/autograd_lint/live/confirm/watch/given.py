"""What a running call was given, and which of its rows wrote to it."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from autograd_lint.live.private import version_of


class Given:
    """The tensors that a call was given, its latest row, and the first row that wrote to each."""

    def __init__(self, tensors: Iterable[torch.Tensor], row: int) -> None:
        self.tensors = [*tensors]
        self.row = row
        self.wrote: dict[int, int] = {}  # by position
        self._versions = [version_of(one) for one in self.tensors]

    def goes_on(self, row: int) -> None:
        """The latest row has run, and this one is about to."""
        self.look()
        self.row = row

    def look(self) -> None:
        """The latest row has run: what did it write to?"""
        for index, (tensor, version) in enumerate(zip(self.tensors, self._versions, strict=True)):
            if version_of(tensor) != version:
                self.wrote.setdefault(index, self.row)
