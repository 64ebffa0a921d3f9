"""How many calls, in how many files, the interpretation of one statement takes.

`python -m benchmarks.calls_of_a_write [STATEMENT]` runs a small program twice, with the statement
(`out += x` unless another is given) and without it, and prints what the statement adds: the calls
of functions of autograd_lint in each room, and the number of files in which they stand.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import autograd_lint
from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source

ROOT = Path(autograd_lint.__file__).parent
PROGRAM = """import torch

x = torch.ones(3, requires_grad=True)
out = x * 2
{statement}
"""


def calls_of(text: str) -> Counter[str]:
    """The calls that the analysis of a program makes, by the file of what is called."""
    analyse(Source("program.py", text))  # what is computed once for a process is known by then
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        filename = frame.f_code.co_filename
        if event == "call" and filename.startswith(str(ROOT)):
            found[str(Path(filename).relative_to(ROOT))] += 1

    sys.setprofile(note)
    try:
        analyse(Source("program.py", text))
    finally:
        sys.setprofile(None)
    return found


def added_by(statement: str) -> Counter[str]:
    """The calls that a statement adds to those of the program without it."""
    return calls_of(PROGRAM.format(statement=statement)) - calls_of(
        PROGRAM.format(statement="pass")
    )


def main() -> None:
    """Print what one statement takes."""
    statement = sys.argv[1] if len(sys.argv) > 1 else "out += x"
    added = added_by(statement)
    rooms: Counter[str] = Counter()
    for name, count in added.items():
        rooms[name.partition("/")[0]] += count
    print(f"`{statement}`: {sum(added.values())} calls in {len(added)} files")
    for room, count in rooms.most_common():
        files = sum(name.startswith(f"{room}/") for name in added)
        print(f"  {room:12} {count:4} calls in {files} files")


if __name__ == "__main__":
    main()
