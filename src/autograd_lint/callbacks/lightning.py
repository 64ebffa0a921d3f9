"""Watch what `Trainer.fit` of Lightning does.

from autograd_lint.callbacks.lightning import AutogradTrace

trace = AutogradTrace(html="report.html")
Trainer(callbacks=[trace]).fit(model)
print(trace.report.findings)
"""

from __future__ import annotations

from pathlib import Path

from autograd_lint.callbacks.watched import WatchedRun
from autograd_lint.live.block import Report

try:
    from lightning.pytorch import Callback, LightningModule, Trainer
except ImportError:
    from pytorch_lightning import Callback, LightningModule, Trainer


class AutogradTrace(Callback):  # type: ignore[misc]
    """Watches a fit from its first hook to its last, or to the error that ends it.

    `backward_calls` is how many calls of backward are observed in full (-1: all, 0: only failures);
    `html` names a file for the report. Each process of a distributed run has a report of its own.
    """

    def __init__(self, *, backward_calls: int = 30, html: str | Path | None = None) -> None:
        self._run = WatchedRun(backward_calls, html)

    @property
    def report(self) -> Report:
        """What was found; complete when the fit has ended."""
        return self._run.report

    def on_fit_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """The fit begins."""
        self._run.begin()

    def on_fit_end(self, trainer: Trainer, pl_module: LightningModule) -> None:
        """The fit has ended in order."""
        self._run.end()

    def on_exception(
        self, trainer: Trainer, pl_module: LightningModule, exception: BaseException
    ) -> None:
        """The fit ends with an error."""
        self._run.end(exception)
