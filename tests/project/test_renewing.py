"""A source after an edit is as if it had been read anew."""

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_lint.project.reading import UNREADABLE
from autograd_lint.project.renewing import renewed
from autograd_lint.project.source import Source

LINES = (
    "import torch",
    "x = 1",
    "x = 1; y = 2",
    "x = (1,",
    "    2)",
    "if x:",
    "else:",
    "    y = 2",
    "    return x",
    "@decorated",
    "@decorated(x",
    "def f(x):",
    "class C:",
    "    def g(self):",
    "        pass",
    "try:",
    "except ValueError:",
    "finally:",
    "match x:",
    "    case 1:",
    '"""',
    "'''a text",
    "x = 1 \\",
    "# a remark",
    "",
    "",
    "\tz = 3",
    "    z = 'ä'",
    "    def h(self):",
    "        return z",
    " x = 1",
    "\t",
    "x = 'ä'; f(x)",
    "\x0c",
    "x = 2\r",
)
BLOCKS = (
    "def f(x):\n    return x",
    "if x:\n    y = 2",
    "else:\n    y = 3",
    "@decorated\nclass C:\n    x = (1,\n        2)",
    "try:\n    f(x)\nfinally:\n    pass",
    "x = '''a\ntext'''",
    "x = 1 \\\n    + 2",
    "match x:\n    case 1:\n        pass",
    "class C:\n    x = 1\n\n    @decorated\n    def f(self):\n        return x\n    y = 2\nx = 3",
    "class C(\n    B,\n):\n\tdef f(self):\n\t\treturn x\n\n\tdef g(self): pass\n\tx = 2\n\n",
)
TEXTS = st.lists(st.sampled_from((*LINES, *BLOCKS * 25)), max_size=14).map(
    lambda parts: "\n".join(parts).split("\n")
)
ENDS = st.sampled_from(["\n", "\n", "\r\n"])


def shown(source: Source) -> str | None:
    """The tree with all places; None where the text cannot be parsed."""
    try:
        return ast.dump(source.tree, include_attributes=True)
    except UNREADABLE:
        return None


def after(before: Source, text: str) -> Source | None:
    try:
        return renewed(before, text)
    except UNREADABLE:
        return None


@given(st.data())
@settings(deadline=None)  # the machine may be busy
def test_as_if_read_anew(data: st.DataObject) -> None:
    source, end = Source("a.py", "x = 0"), data.draw(ENDS)
    lines = data.draw(TEXTS)
    for _ in range(4):
        first = data.draw(st.integers(0, len(lines)))
        last = data.draw(st.integers(first, min(len(lines), first + 3)))
        lines = [*lines[:first], *data.draw(TEXTS)[: data.draw(st.integers(0, 5))], *lines[last:]]
        text = end.join(lines)
        found = after(source, text)
        assert (shown(found) if found else None) == shown(Source("a.py", text)), text
        if found:
            assert found.pieces.each(str.split) == Source("a.py", text).pieces.each(str.split)
        source = found or source


@given(st.data())
@settings(deadline=None)  # the machine may be busy
def test_a_class_as_if_read_anew(data: st.DataObject) -> None:
    head = data.draw(st.sampled_from(["class C:", "class C(\n    B\n):", "@decorated\nclass C:"]))
    indent = data.draw(st.sampled_from(["    ", "\t", "  "]))
    below = data.draw(st.sampled_from(["x = 1", "\n# a remark\ndef f(x):\n    return x", ""]))
    lines = data.draw(TEXTS.filter(lambda lines: shown(Source("a.py", "\n".join(lines)))))
    source: Source | None = None
    for _ in range(4):
        inside = "\n".join(data.draw(st.sampled_from(["", indent])) + line for line in lines)
        own = "\n".join(indent + line for line in lines)
        text = "\n".join(["import torch", head, data.draw(st.sampled_from([own, inside])), below])
        found = after(source, text) if source else Source("a.py", text)
        assert (shown(found) if found else None) == shown(Source("a.py", text)), text
        source = found if found and shown(found) else source
        row = data.draw(st.integers(0, len(lines)))
        gone = data.draw(st.integers(0, 1))
        lines = [
            *lines[:row],
            *data.draw(TEXTS)[: data.draw(st.integers(0, 3))],
            *lines[row + gone :],
        ]


def test_an_edit_of_a_method_leaves_the_other_methods_and_the_head_of_its_class() -> None:
    method = "\n    @decorated\n    def f{0}(self, x):\n        y = {0}\n        return x\n"
    text = "import torch\n\nclass C(B):\n" + "".join(map(method.format, range(5))) + "\nz = C()\n"
    before = Source("a.py", text)
    kept = before.tree.body[1]
    assert isinstance(kept, ast.ClassDef)
    methods, bases = list(kept.body), list(kept.bases)
    edited = text.replace("y = 3", "y = 3\n        z = 4")
    found = renewed(before, edited).tree.body[1]
    assert isinstance(found, ast.ClassDef)
    assert found is not kept
    assert [one is other for one, other in zip(found.body, methods, strict=True)] == [
        *(True, True, True, False, True)
    ]
    assert found.bases == bases


@pytest.mark.parametrize("name", ["char_rnn.py", "gan.py"])
def test_what_is_not_edited_stays_the_same(name: str) -> None:
    text = (Path(__file__).parents[2] / "fixtures" / "demo" / name).read_text("utf-8")
    before = Source(name, text)
    body = list(before.tree.body)
    middle = body[len(body) // 2]
    lines = text.split("\n")
    lines.insert(middle.end_lineno or 0, "added = 1")
    found = renewed(before, "\n".join(lines))
    assert shown(found) == shown(Source(name, "\n".join(lines)))
    assert sum(node in found.tree.body for node in body) >= len(body) - 3


def test_a_text_that_cannot_be_parsed_leaves_the_one_before() -> None:
    before = Source("a.py", "x = 1\ny = 2\n")
    tree = before.tree
    with pytest.raises(SyntaxError, match="never closed"):
        renewed(before, "x = 1\ny = (2\n")
    assert before.tree is tree
