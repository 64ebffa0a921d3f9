"""A text in pieces: what is found in them, and found once."""

from autograd_lint.project.renewing import renewed
from autograd_lint.project.source import Source

PROGRAM = """\
import torch

# a remark
x = [
    1,
]


@decorated
class Model:
    \"\"\"A model.\"\"\"

    first = 1
    def forward(self, x):
        return x

    # the other
    def other(self): return self


x = 2; y = 3
# the end
"""


def test_pieces_end_where_statements_end() -> None:
    pieces = Source("a.py", PROGRAM).pieces.each(lambda text: text.strip().split("\n")[0])
    assert [(row + 1, first) for row, first in pieces] == [
        (1, "import torch"),
        (2, "# a remark"),
        (7, "@decorated"),
        (12, "first = 1"),
        (14, "def forward(self, x):"),
        (16, "# the other"),
        (19, "x = 2; y = 3"),
        (22, "# the end"),
    ]


def test_they_are_the_whole_text() -> None:
    pieces = Source("a.py", PROGRAM).pieces.each(str)
    assert "\n".join(text for _, text in pieces) == PROGRAM


def test_after_an_edit_only_what_has_changed_is_looked_at() -> None:
    looked: list[str] = []

    def find(text: str) -> int:
        looked.append(text.strip())
        return len(text)

    source = Source("a.py", PROGRAM)
    source.pieces.each(find)
    looked.clear()
    found = renewed(source, PROGRAM.replace("return x", "return x + 1"))
    assert found.pieces.each(find) == Source("a.py", found.text).pieces.each(len)
    assert looked == ["def forward(self, x):\n        return x + 1"]
