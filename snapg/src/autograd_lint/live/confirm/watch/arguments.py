"""Arguments that a function or a module writes to, and that are used again afterwards."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.confirm.watch.given import Given
from autograd_lint.live.confirm.watch.sights import Rows, Sights
from autograd_lint.live.confirm.watch.used_again import UsedAgain
from autograd_lint.live.schemas import tensors_in


class Arguments:
    """Is told of functions of the program, of modules, and of what operators take."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._running: dict[int, Given] = {}
        self._modules: list[Given] = []
        self.overwritten = UsedAgain(sights, Pitfall.ARGUMENT_OVERWRITTEN)

    def open(self) -> list[Callable[[], None]]:
        """Start to look at modules; what undoes it."""
        before = register_module_forward_pre_hook(self._module_begins)
        after = register_module_forward_hook(self._module_ends, always_call=True)
        return [before.remove, after.remove]

    def entered(self, frame: FrameType) -> None:
        """A function begins."""
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        given = tensors_in([frame.f_locals.get(name) for name in names])
        if given:
            self._running[id(frame)] = Given(given, frame.f_lineno)

    def at_line(self, frame: FrameType) -> None:
        """A line is about to run."""
        running = self._running.get(id(frame))
        if running is not None:
            running.goes_on(frame.f_lineno)

    def returned(self, frame: FrameType, result: Any) -> None:
        """A function returns: what it gives back, it was to change."""
        running = self._running.pop(id(frame), None)
        if running is not None:
            running.look()
            self._keep(running, result, lambda row: frozenset({row}))

    def _module_begins(self, module: torch.nn.Module, args: Any) -> None:
        self._modules.append(Given(tensors_in(args), 0))

    def _module_ends(self, module: torch.nn.Module, args: Any, result: Any) -> None:
        running = self._modules.pop() if self._modules else None
        if running is not None:
            running.look()
            self._keep(running, result, lambda _: self._sights.rows())

    def _keep(self, running: Given, result: Any, rows: Callable[[int], Rows]) -> None:
        returned = tensors_in(result if isinstance(result, (list, tuple)) else (result,))
        for index, row in running.wrote.items():
            tensor = running.tensors[index]
            if not any(tensor is one for one in returned):
                self.overwritten.add(tensor, rows(row))
