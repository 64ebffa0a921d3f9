"""Watch what a program does between `init_trackers` and `end_training` of Accelerate.

from autograd_lint.callbacks.accelerate import AutogradTracker

tracker = AutogradTracker(html="report.html")
accelerator = Accelerator(log_with=tracker)
accelerator.init_trackers("training")
...
accelerator.end_training()
print(tracker.report.findings)
"""

from __future__ import annotations

import atexit
from pathlib import Path
from typing import ClassVar

from accelerate.tracking import GeneralTracker

from autograd_lint.callbacks.watched import WatchedRun
from autograd_lint.live.block import Report


class AutogradTracker(GeneralTracker):  # type: ignore[misc]
    """Watches training, in every process; what is logged is not its concern.

    `backward_calls` is how many calls of backward are observed in full (-1: all, 0: only failures);
    `html` names a file for the report. A program that ends without `end_training` is told of when
    it ends.
    """

    name: ClassVar[str] = "autograd-lint"
    requires_logging_directory: ClassVar[bool] = False
    main_process_only: ClassVar[bool] = False

    def __init__(self, *, backward_calls: int = 30, html: str | Path | None = None) -> None:
        super().__init__()
        self._run = WatchedRun(backward_calls, html)

    @property
    def report(self) -> Report:
        """What was found; complete when training has ended."""
        return self._run.report

    @property
    def tracker(self) -> Report:
        """The same, under the name that Accelerate asks for."""
        return self.report

    def start(self) -> None:
        """Training begins."""
        self._run.begin()
        atexit.register(self.finish)

    def finish(self) -> None:
        """Training has ended."""
        atexit.unregister(self.finish)
        self._run.end()
