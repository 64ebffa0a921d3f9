"""What the confirming process asks of the one that runs witnesses, and what comes back."""

import json
import re
from dataclasses import asdict, dataclass, field
from enum import Enum

LONGEST_OUTCOME = 4 << 20  # bytes, encoded
_LONGEST_TEXT = 20_000  # characters of a message or an assumption
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


class Harness(Enum):
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
    harness: Harness = Harness.SCRIPT
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
        return json.dumps({**asdict(self), "harness": self.harness.value})

    @classmethod
    def decode(cls, line: str) -> "Job":
        """The job of a line of JSON."""
        values = json.loads(line)
        lists = {name: tuple(values[name]) for name in ("goal", "undo")}
        return cls(**{**values, **lists, "harness": Harness(values["harness"])})


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

    `ended` is `done`, `raised`, `stopped` (no witness could be built), `time`, `memory`, `killed`,
    `broken` (what came is no outcome) or `refused` (a layer of the sandbox is missing); `error`,
    `error_kind` and `row` are those of an exception that ended it; of `killed`, `error` is the
    signal or exit code. `executed` are the rows of the file that ran. `gradients` are digests, some
    for each call of backward. `program` is the witness of driven code as a file to run. `lacking`
    are layers of the sandbox that are not there.
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
        """The outcome of a line of JSON, which a witness may have written.

        Raises ValueError for what is none. Control characters are taken out of texts.
        """
        try:
            values = json.loads(line)
            return _outcome(_Fields(values))
        except RecursionError:
            raise ValueError("nested too deeply") from None


@dataclass(frozen=True, slots=True)
class _Fields:
    """An object of JSON, whose fields are asked for by type. Raises ValueError for others."""

    values: object

    def of(self, name: str) -> object:
        """A field's value; None where there is none."""
        if not isinstance(self.values, dict):
            raise ValueError("not an object")
        return self.values.get(name)

    def number(self, name: str) -> int:
        """A whole number of at most 64 bits."""
        return _number(self.of(name))

    def optional_number(self, name: str) -> int | None:
        """The same, or None."""
        return None if self.of(name) is None else self.number(name)

    def text(self, name: str, longest: int = _LONGEST_TEXT) -> str:
        """A text without control characters, cut off."""
        return _text(self.of(name), longest)

    def optional_text(self, name: str) -> str | None:
        """The same, or None."""
        return None if self.of(name) is None else self.text(name)

    def items(self, name: str) -> list[object]:
        """A list."""
        value = self.of(name)
        if not isinstance(value, list):
            raise ValueError(f"{name} is not a list")
        return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -(2**63) <= value < 2**64:
        raise ValueError("not a number")
    return value


def _text(value: object, longest: int = _LONGEST_TEXT) -> str:
    if not isinstance(value, str):
        raise ValueError("not a text")
    return _CONTROL.sub("\ufffd", value[:longest])


def _outcome(fields: _Fields) -> Outcome:
    return Outcome(
        ended=fields.text("ended"),
        error=fields.optional_text("error"),
        error_kind=fields.optional_text("error_kind"),
        row=fields.optional_number("row"),
        seen=tuple(_seen(_Fields(one)) for one in fields.items("seen")),
        executed=frozenset(map(_number, fields.items("executed"))),
        backward_calls=fields.number("backward_calls"),
        gradients=tuple(_digest(one) for one in fields.items("gradients")),
        assumptions=tuple(map(_text, fields.items("assumptions"))),
        program=fields.text("program", LONGEST_OUTCOME),
        undone=fields.of("undone") is True,
        torch=fields.text("torch"),
        device=fields.text("device"),
        lacking=tuple(map(_text, fields.items("lacking"))),
    )


def _digest(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise ValueError("not a list of digests")
    return tuple(map(_number, value))


def _seen(fields: _Fields) -> Seen:
    rows = fields.of("rows")
    if not isinstance(rows, dict):
        raise ValueError("rows by role are missing")
    return Seen(
        code=fields.text("code"),
        filename=fields.text("filename"),
        row=fields.number("row"),
        error=fields.optional_text("error"),
        raised_row=fields.optional_number("raised_row"),
        rows={_text(role): _number(row) for role, row in rows.items()},
        raised_in=fields.optional_text("raised_in"),
    )
