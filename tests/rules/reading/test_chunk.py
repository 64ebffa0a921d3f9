"""The exact reading finds the nodes of the file's own places."""

import ast
from pathlib import Path

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lint
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.rules.reading import Assigned, Chunk
from tests.rules.telling import spot

ODD = Source(
    "odd.py",
    '''\
@decorated(x.add_(1))
async def f(x):
    ä = "ü"; x.mul_(2); text = """
  odd"""; x.sub_(3)
    if x: x += (yield)
    elif await x.relu_():
        (x[0]) = [
            1,
        ]
    return x.exp_()

class C:
\twith (y.sin_()) as z: pass
match x:
    case [a]:
        a.cos_()
try:
    pass
except E:
    h = x.neg_()
h = cell(x, h)
self.h += 1
a, b = x.tan_()
''',
)

WRITES = [
    "x.add_(1)",
    "x.mul_(2)",
    "x += (yield)",
    "x.relu_()",
    "x[0]",
    "x.exp_()",
    "y.sin_()",
    "a.cos_()",
    "x.neg_()",
    "x.tan_()",
]


@pytest.mark.parametrize("snippet", WRITES)
def test_a_node_is_found_by_its_place_wherever_it_stands(snippet: str) -> None:
    place = spot(ODD, snippet)
    chunk = Chunk(ODD, place)
    node = chunk.node_at(place)
    assert node is not None
    assert chunk.place_of(node) == place


def package_sources() -> list[Path]:
    """Every fifth file of this package, whatever it is about."""
    return sorted(Path(autograd_lint.__file__).parent.rglob("*.py"))[::5]


@pytest.mark.parametrize("path", package_sources(), ids=lambda path: path.stem)
def test_calls_of_this_package_are_read_as_they_are_written(path: Path) -> None:
    source = Source(str(path), path.read_text(encoding="utf-8"))
    for call in [node for node in ast.walk(source.tree) if isinstance(node, ast.Call)][:8]:
        place = source.place(call)
        chunk = Chunk(source, place)
        node = chunk.node_at(place)
        assert isinstance(node, cst.Call)
        written = ast.get_source_segment(source.text, call)
        assert chunk.code(node) in (written, f"({written})")


def test_a_place_within_a_node_finds_the_smallest_around() -> None:
    whole = spot(ODD, "x.exp_()")
    inside = Place(whole.filename, whole.row, whole.column + 1, whole.row, whole.column + 3)
    node = Chunk(ODD, inside).node_at(inside)
    assert isinstance(node, cst.Attribute)


def test_the_statement_around_a_place() -> None:
    place = spot(ODD, "x.exp_()")
    assert isinstance(Chunk(ODD, place).statement_at(place), cst.Return)


def test_code_keeps_parentheses() -> None:
    source = Source("a.py", "y = (a + b) * 2\n")
    chunk = Chunk(source, spot(source, "a + b"))
    node = chunk.node_at(spot(source, "a + b"))
    assert node is not None and chunk.code(node) == "(a + b)"


def test_columns_count_characters() -> None:
    source = Source("a.py", "ä = 'äöü' + f(x)\n")
    place = Place("a.py", 1, 13, 1, 17)
    node = Chunk(source, place).node_at(place)
    assert isinstance(node, cst.Call)


def test_windows_line_ends() -> None:
    source = Source("a.py", "if x:\r\n    a = 1\r\n    b = f(x)\r\n")
    place = Place("a.py", 3, 9, 3, 13)
    node = Chunk(source, place).node_at(place)
    assert isinstance(node, cst.Call)


@pytest.mark.parametrize(
    "source",
    [Source("a.py", "x ="), Source("b.py", "x = 1"), Source("a.py", "")],
    ids=["syntax-error", "another-file", "empty"],
)
def test_where_nothing_can_be_read_there_are_no_nodes(source: Source) -> None:
    place = Place("a.py", 1, 1, 1, 2)
    chunk = Chunk(source, place)
    assert chunk.node_at(place) is None
    assert chunk.statement_at(place) is None
    assert chunk.write_at(place, None, "") is None


def test_what_is_assigned_and_whether_from_itself() -> None:
    def assigned(snippet: str) -> Assigned | None:
        place = spot(ODD, snippet)
        return Chunk(ODD, place).assigned_at(place)

    assert assigned("cell(x, h)") == Assigned("h", True)
    assert assigned("x.neg_()") == Assigned("h", False)
    assert assigned("self.h += 1") == Assigned("self.h", True)
    assert assigned("x.tan_()") is None
    assert assigned("x.exp_()") is None


@settings(deadline=None)  # the machine may be busy
@given(
    row=st.integers(1, 30),
    column=st.integers(1, 40),
    rows=st.integers(0, 3),
    width=st.integers(0, 9),
)
def test_any_place_is_answered(row: int, column: int, rows: int, width: int) -> None:
    place = Place(ODD.filename, row, column, row + rows, column + width)
    chunk = Chunk(ODD, place)
    node, write = chunk.node_at(place), chunk.write_at(place, "x", "add_")
    assert node is None or chunk.code(node)
    assert write is None or write.place.row <= write.place.end_row


@pytest.mark.parametrize(
    ("code", "snippet", "container"),
    [
        ("self.losses.append(loss)", "self.losses.append(loss)", "self.losses"),
        ("losses[0] = loss", "losses[0]", "losses"),
        ("losses[0] = loss", "losses[0] = loss", "losses"),
        ("record(loss)", "record(loss)", None),
        ("meters.average(loss)", "meters.average(loss)", None),
    ],
)
def test_the_container_that_takes_something_in(
    code: str, snippet: str, container: str | None
) -> None:
    source = Source("put.py", f"{code}\n")
    place = spot(source, snippet)
    assert Chunk(source, place).container_at(place) == container
