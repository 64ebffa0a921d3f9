"""`%autograd_diagnose`: the lines of a notebook that explain the error that a cell has just raised.
`%%autograd_trace`: a cell under the tracer.

`%load_ext autograd_lint` makes them known. To diagnose, the cells as they were run are the program;
it is written to a file beside the notebook for the time of the analysis, so that imports lead to
the files there.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol


class Shell(Protocol):
    """What is asked of IPython's shell."""

    user_ns: dict[str, Any]
    """The names of the notebook; `In` are the cells as they were run, the first one empty."""

    def register_magic_function(
        self, function: Callable[..., object], kind: str, name: str
    ) -> None: ...

    def run_cell(self, cell: str) -> Any: ...


def load(shell: Shell) -> None:
    """Make `%autograd_diagnose` and `%%autograd_trace` known to a shell."""

    def autograd_diagnose(line: str = "") -> None:
        """Find the lines that explain the last error."""
        print(diagnosed(getattr(sys, "last_value", None), shell.user_ns.get("In", [])))

    def autograd_trace(line: str, cell: str) -> object:
        """Run a cell under the tracer, and show its report; `-1` after it observes all of it."""
        return traced(shell, line, cell)

    shell.register_magic_function(autograd_diagnose, "line", "autograd_diagnose")
    shell.register_magic_function(autograd_trace, "cell", "autograd_trace")


def traced(shell: Shell, line: str, cell: str) -> object:
    """The report of a cell; `line` may hold how many calls of backward are observed in full.

    Raises Trouble for another line, and where torch is missing or too old.
    """
    from autograd_lint.api import trace
    from autograd_lint.errors import Trouble

    if line.strip() and not line.strip().lstrip("-").isdigit():
        raise Trouble(f"%%autograd_trace {line.strip()}: give a number of calls of backward, or -1")
    block = trace(backward_calls=int(line)) if line.strip() else trace()
    with block as report:
        result = shell.run_cell(cell)
        if isinstance(result.error_in_exec, Exception):
            block.note(result.error_in_exec)
    return report


def diagnosed(error: BaseException | None, cells: Sequence[str]) -> str:
    """The diagnosis of an error that cells have raised, as text."""
    from autograd_lint.diagnosis.diagnosing import Request, Texts, diagnose
    from autograd_lint.diagnosis.printing import plain
    from autograd_lint.diagnosis.raised import printed

    if error is None:
        return "autograd-lint: no cell has raised anything yet"
    with _written(cells) as path:
        found = diagnose(Request(printed(error), (path,)))
        if found is None:
            return f"autograd-lint: {type(error).__name__} is no error of autograd"
        return plain(found, Texts().lines).replace(path.name, "notebook.ipynb")


@contextmanager
def _written(cells: Sequence[str]) -> Iterator[Path]:
    """The cells as a notebook on the disk, which is removed in the end."""
    folder = os.getcwd() if os.access(os.getcwd(), os.W_OK) else None
    texts = [text for text in cells if not text.lstrip().startswith("%autograd_diagnose")]
    # Cells are counted as they were run: `In[0]` is nothing.
    told = [{"cell_type": "code", "source": text, "metadata": {}} for text in texts[1:]]
    descriptor, name = tempfile.mkstemp(".ipynb", ".autograd_lint_", folder)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"cells": told, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, file)
        yield Path(name)
    finally:
        os.unlink(name)
