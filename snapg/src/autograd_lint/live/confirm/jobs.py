"""What the confirming process asks of the one that runs witnesses, and what comes back."""

import json
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any


class Drive(Enum):
    """Who runs the user's code: the file itself, or a step written for what nobody runs."""

    SCRIPT = "script"
    MODULE = "module"
    FUNCTION = "function"
    METHOD = "method"
    SLICE = "slice"


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a witness.

    `target` is the class or function to drive, `method` the method of a class, `wanted` the kind of
    error to look for, `goal` the rows to reach. `stand_ins` stand for modules that a script misses.
    A slice around the goal takes in so many `generations` of definitions.
    `undo` are rows of writes to make harmless, in the way `how` (see `undo.Undo`); `keep` the row
    of what saved it. `retain` keeps every graph alive, calls of backward at the row `release` keep
    none, whatever they are told; `input_grad` lets synthesized inputs require
    grad (as `leaves`, or computed), and `unmodified` backward compute with copies of what was
    saved. `root` is the project's folder.
    """

    filename: str
    text: str
    drive: Drive = Drive.SCRIPT
    target: str = ""
    method: str = ""
    wanted: str = ""
    goal: tuple[int, ...] = ()
    stand_ins: bool = False
    undo: tuple[int, ...] = ()
    how: str = "copy"
    keep: int | None = None
    retain: bool = False
    release: int | None = None
    input_grad: bool = False
    leaves: bool = False
    generations: int = 0
    unmodified: bool = False
    device: str = "cpu"
    seconds: int = 20
    memory_megabytes: int = 4096
    root: str = ""

    def encode(self) -> str:
        """As one line of JSON."""
        return json.dumps({**asdict(self), "drive": self.drive.value})

    @classmethod
    def decode(cls, line: str) -> "Job":
        """The job of a line of JSON."""
        values = json.loads(line)
        lists = {name: tuple(values[name]) for name in ("goal", "undo")}
        return cls(**{**values, **lists, "drive": Drive(values["drive"])})


@dataclass(frozen=True, slots=True)
class Seen:
    """A finding that the tracer made: its code, its place and the rows of its events by role.

    An error of the engine was raised at a row of the file `raised_in`.
    """

    code: str
    filename: str
    row: int
    error: str | None
    raised_row: int | None
    rows: dict[str, int]
    raised_in: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run showed.

    `ended` is `done`, `raised`, `stopped` (no witness could be built), `time`, `memory` or
    `killed`; `error`, `error_kind` and `row` are those of an exception that ended it. `executed`
    are the rows of the file that ran. `gradients` are digests, some for each call of backward.
    `program` is the witness of driven code as a file to run. `lacking` are layers of the sandbox
    that are not there.
    """

    ended: str
    error: str | None = None
    error_kind: str | None = None
    row: int | None = None
    seen: tuple[Seen, ...] = ()
    executed: frozenset[int] = frozenset()
    backward_calls: int = 0
    gradients: tuple[tuple[int, ...], ...] = ()
    assumptions: tuple[str, ...] = ()
    program: str = ""
    undone: bool = False
    torch: str = ""
    device: str = "cpu"
    lacking: tuple[str, ...] = field(default=())

    def encode(self) -> str:
        """As one line of JSON."""
        values = asdict(self)
        return json.dumps({**values, "executed": sorted(self.executed)})

    @classmethod
    def decode(cls, line: str) -> "Outcome":
        """The outcome of a line of JSON."""
        values: dict[str, Any] = json.loads(line)
        return cls(
            **{
                **values,
                "seen": tuple(Seen(**seen) for seen in values["seen"]),
                "executed": frozenset(values["executed"]),
                "gradients": tuple(tuple(digest) for digest in values["gradients"]),
                "assumptions": tuple(values["assumptions"]),
                "lacking": tuple(values["lacking"]),
            }
        )
