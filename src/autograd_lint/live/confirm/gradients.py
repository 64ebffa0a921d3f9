"""Digests of what each call of backward computed; graphs kept alive, or freed, on request."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import graph as torch_graph

from autograd_lint.live.confirm.watch.onlooker import Onlooker
from autograd_lint.live.contents import digest, number_of
from autograd_lint.live.private import set_engine, unobserved


class Gradients:
    """While open, stands in front of the engine; it is to be opened before the tracer."""

    def __init__(
        self, onlooker: Onlooker, retain: bool = False, release: int | None = None
    ) -> None:
        """All calls retain their graphs if `retain`; those at the row `release` keep none."""
        self.calls = 0
        self.released = False
        self.digests: list[tuple[int, ...]] = []
        self._onlooker = onlooker
        self._retain = retain
        self._release = release
        self._engine: Any = None

    def __enter__(self) -> Gradients:
        self._engine = torch_graph._engine_run_backward
        set_engine(self._run)
        return self

    def __exit__(self, *details: object) -> None:
        set_engine(self._engine)

    def _run(self, outputs: Any, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        if self._retain and len(args) > 1:
            args = (args[0], True, *args[2:])
        creates = bool(args[2] if len(args) > 2 else kwargs.get("create_graph"))
        accumulates = bool(kwargs.get("accumulate_grad"))
        inputs = args[3] if len(args) > 3 else ()
        call = self._onlooker.call(outputs, inputs, creates=creates, accumulates=accumulates)
        if self._release in call.rows and len(args) > 2:
            args, self.released = (args[0], False, False, *args[3:]), True
        result = self._engine(outputs, *args, **kwargs)
        self._onlooker.returned(call)
        found = result if isinstance(result, tuple) else [leaf.grad for leaf in call.leaves]
        self.digests.append(tuple(_number(gradient) for gradient in found))
        return result


def _number(gradient: torch.Tensor | None) -> int:
    if gradient is None:
        return 0
    with torch.no_grad(), unobserved():
        sums = digest(gradient)
        return 0 if sums is None else number_of(sums)
