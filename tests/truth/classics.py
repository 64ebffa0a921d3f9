"""Questions that users of PyTorch ask again and again, as programs in `fixtures/classics`.

The head of a program says what was asked, the answer that was accepted, the code of the finding and
a part of its help; `fix: offered` that a fix is. `# told` stands on the line that is to be told,
`# instead: ...` on a line that the accepted answer replaces.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "fixtures" / "classics"
_HEAD = re.compile(r"^# (\w+): (.*)$", re.M)
_INSTEAD = re.compile(r"^( *).*# instead: (.*)$")


@dataclass(frozen=True)
class Classic:
    """One question: the program as it was asked about, and what was answered."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def head(self) -> dict[str, str]:
        return dict(_HEAD.findall(self.text))

    @property
    def row(self) -> int:
        """The line that is to be told."""
        lines = enumerate(self.text.splitlines(), 1)
        return next(row for row, line in lines if "# told" in line)

    @property
    def answered(self) -> str:
        """The program with the accepted answer."""
        lines = (_INSTEAD.sub(r"\1\2", line) for line in self.text.splitlines())
        return "".join(f"{line}\n" for line in lines)


def classics() -> list[Classic]:
    """All questions, by name."""
    return [Classic(path) for path in sorted(FOLDER.glob("*.py"))]
