"""Runs small programs under the tracer, in this process."""

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

from autograd_lint.engine.faults import Fault
from autograd_lint.live.attention import WHOLE_RUN
from autograd_lint.live.tracing import Tracer


class Traced:
    """What became of a program: its faults, its error, and the rows that the faults name."""

    def __init__(
        self, source: str, folder: Path, backward_calls: int = WHOLE_RUN, *, ended: bool = False
    ) -> None:
        self.file = folder / "program.py"
        self.file.write_text(dedent(source).lstrip())
        self.tracer = Tracer(backward_calls, str(self.file))
        self.names: dict[str, Any] = {"__name__": "__main__", "__file__": str(self.file)}
        self.error: Exception | None = None
        with self.tracer:
            self._run()
            if ended:
                self._end()
        assert self.tracer.unseen == {}

    def _end(self) -> None:
        """Tell what is to be told of a program that has run to its end."""
        main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
        vars(sys.modules["__main__"]).update(self.names)
        self.tracer.ended()
        sys.modules["__main__"] = main

    def _run(self) -> None:
        try:
            exec(compile(self.file.read_text(), str(self.file), "exec"), self.names)
        except Exception as error:
            self.error = error
            self.tracer.note_error(error)

    @property
    def fault(self) -> Fault:
        """The only fault."""
        (fault,) = self.tracer.faults
        return fault

    def noted(self) -> list[int]:
        """The rows of what else led to the only fault."""
        return [noted.place.row for noted in self.fault.noted if noted.place]

    def rows(self) -> dict[str, int | None]:
        """The rows of the only fault's events, by role."""
        fault = self.fault
        events = {
            "built": fault.built,
            "saved": fault.saved,
            "modified": fault.modified,
            "freed": fault.freed,
            "needed": fault.needed,
        }
        rows: dict[str, int | None] = {}
        for role, event in events.items():
            if event is not None:
                rows[role] = event.place.row if event.place else None
        return rows


Run = Callable[[str], Traced]
