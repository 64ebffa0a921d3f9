"""A training run under the tracer, begun and ended by the calls of a framework."""

from __future__ import annotations

import sys
from pathlib import Path

from autograd_lint.live.block import Block, Report


class WatchedRun:
    """Opens a block when training begins and tells its report when training ends.

    `backward_calls` is how many calls of backward are observed in full; `html` names a file for
    the report. What is found is also printed on standard error.
    """

    def __init__(self, backward_calls: int, html: str | Path | None) -> None:
        self.report = Report()
        self._backward_calls = backward_calls
        self._html = html
        self._block: Block | None = None

    def begin(self) -> None:
        """Training begins; nothing happens where it has begun already."""
        if self._block is None:
            self._block = Block(self._backward_calls, whole=True)
            self.report = self._block.__enter__()

    def end(self, error: BaseException | None = None) -> None:
        """Training ends, perhaps with an error; nothing happens where it has ended already."""
        if self._block is None:
            return
        block, self._block = self._block, None
        if error is None:
            block.__exit__(None, None, None)
        else:
            block.__exit__(type(error), error, error.__traceback__)
        if self.report.findings:
            print(self.report, file=sys.stderr)
        if self._html is not None:
            self.report.to_html(self._html)
