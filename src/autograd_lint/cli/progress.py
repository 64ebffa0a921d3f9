"""A progress bar for runs that take longer than a second, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograd_lint.checking.checked import Checked

_PATIENCE = 1.0  # seconds


def shown(results: Iterator[Checked], total: int, quiet: bool) -> Iterator[Checked]:
    """The results, with a bar on standard error that comes late and goes at the end."""
    if quiet or not sys.stderr.isatty():
        yield from results
        return
    begun = monotonic()
    advance: Callable[[], None] | None = None
    with ExitStack() as stack:
        for done, result in enumerate(results):
            if advance is None and monotonic() - begun > _PATIENCE:
                advance = _bar(stack, total, done)
            if advance is not None:
                advance()
            yield result


def _bar(stack: ExitStack, total: int, done: int) -> Callable[[], None]:
    """Draw the bar until `stack` ends; what is given back moves it on by one."""
    # Imported only now: most runs are over before.
    from rich.console import Console
    from rich.progress import Progress

    bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
    return partial(bar.advance, bar.add_task("checking", total=total, completed=done))
