"""What PyTorch refuses at once is foreseen, and what looks alike is let pass.

`refusals/` holds short programs, apart by `---`. Where one raises, its line says `# refused`; both
engines are asked.
"""

import traceback
from pathlib import Path

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.faults import FaultKind
from autograd_lint.project.source import Source
from tests.truth.real import FILENAME, quiet
from tests.vm.running import HEAD

MARK = "# refused"


def programs() -> list[object]:
    """Every program with its number in its file."""
    return [
        pytest.param(HEAD + text, id=f"{path.stem}-{number}")
        for path in sorted((Path(__file__).parent / "refusals").glob("*.txt"))
        for number, text in enumerate(path.read_text().split("---\n"), 1)
    ]


def marked(text: str) -> list[int]:
    """The rows that are said to raise."""
    return [row for row, line in enumerate(text.splitlines(), 1) if MARK in line]


def raised(text: str) -> list[int]:
    """The innermost row at which the program raises, if it does."""
    try:
        with quiet():
            exec(compile(text, FILENAME, "exec"), {"__name__": "__main__"})
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        return [frame.lineno for frame in frames if frame.filename == FILENAME and frame.lineno][
            -1:
        ]
    return []


def foreseen(text: str) -> list[int]:
    """The rows at which the linter foresees an error, at least likely, the first of a run."""
    found = analyse(Source(FILENAME, text))
    errors = [one for one in found if isinstance(one.kind, FaultKind) and one.weight <= 1]
    return sorted({fault.place.row for fault in errors if fault.place is not None})


@pytest.mark.parametrize("text", programs())
def test_both_engines_refuse_what_is_marked(text: str) -> None:
    assert (raised(text), foreseen(text)) == (marked(text), marked(text))
