"""Small projects of one or several files, each with one mistake and its correction, in `fixtures`.

A block of each Markdown file is a file of the project. Lines that end in `# bad` stand in the wrong
project alone, those that end in `# good` in the correct one. What `harm.py` prints last, `HARM` or
`CLEAN`, says what the project does on torch.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tests.fakes import write_tree

_FIXTURES = Path(__file__).parents[2] / "fixtures"
PROJECTS = _FIXTURES / "projects"
OUTSIDE = _FIXTURES / "outside"  # what they need of packages and files is not there: none is run
HARM = "harm.py"
_BLOCK = re.compile(r"^```python (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TOLD = re.compile(r"^Told: (\w+)$", re.MULTILINE)
_MARK = re.compile(r"  # (bad|good)$")


@dataclass(frozen=True)
class Example:
    """A project with its mistake: its files by their names, and the code that tells of it."""

    name: str
    code: str
    files: dict[str, str]

    def write(self, root: Path, kind: str) -> None:
        """Put the files of the wrong (`bad`) or the correct (`good`) project into a folder."""
        files = {name: _of_kind(text, kind) for name, text in self.files.items() if name != HARM}
        write_tree(root, {**files, "pyproject.toml": ""})

    def run(self, root: Path, kind: str) -> None:
        """Run the project in a folder on torch; what it imports of it is forgotten afterwards."""
        sys.path.insert(0, str(root))
        try:
            exec(compile(_of_kind(self.files[HARM], kind), HARM, "exec"), {})
        finally:
            sys.path.remove(str(root))
            for name in [name for name, one in sys.modules.items() if _is_of(one, root)]:
                del sys.modules[name]


def _is_of(module: ModuleType, root: Path) -> bool:
    return (getattr(module, "__file__", None) or "").startswith(f"{root}{os.sep}")


def examples(folder: Path = PROJECTS) -> list[Example]:
    """All of a folder."""
    return [_read(path) for path in sorted(folder.glob("*.md"))]


def _read(path: Path) -> Example:
    text = path.read_text(encoding="utf-8")
    told = _TOLD.search(text)
    assert told is not None
    return Example(path.stem, told[1], dict(_BLOCK.findall(text)))


def _of_kind(text: str, kind: str) -> str:
    lines = [(line, _MARK.search(line)) for line in text.splitlines()]
    kept = (_MARK.sub("", line) for line, mark in lines if mark is None or mark[1] == kind)
    return "\n".join(kept) + "\n"
