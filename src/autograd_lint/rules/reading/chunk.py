"""The LibCST reading of the few lines around one place, with positions of the file."""

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from autograd_lint.immutable import immutable
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.rules.reading import names
from autograd_lint.rules.reading.lines import Lines
from autograd_lint.rules.reading.statements import rows_around
from autograd_lint.rules.reading.writes import Write, read_write

if TYPE_CHECKING:
    from autograd_lint.rules.reading.mends import Mends

# An indented statement is parsed as the body of this, which leaves its columns as they are.
_HEAD = "if 1:\n"

Statement = cst.BaseCompoundStatement | cst.BaseSmallStatement
# Methods of lists, queues, sets and dictionaries that put something into them.
_PUTTING = {"add", "append", "appendleft", "extend", "insert", "put", "setdefault", "update"}
_STATEMENTS = (cst.BaseCompoundStatement, cst.BaseSmallStatement)


@immutable
class Assigned:
    """The name that a statement assigns to; `from_itself`: its old value goes into the new one."""

    name: str
    from_itself: bool


class Chunk:
    """The smallest statement of `source` around `place` that can be parsed alone.

    Where nothing can be read (the place is in another file, or LibCST refuses the lines) there are
    no nodes, and every question for one is answered with None.
    """

    def __init__(self, source: Source, place: Place) -> None:
        self.source = source
        self._rows = rows_around(source, place) if source.filename == place.filename else None

    def around(self, place: Place) -> "Chunk":
        """The reading around another place of the same file."""
        return Chunk(self.source, place)

    def node_at(self, place: Place) -> cst.CSTNode | None:
        """The outermost expression or statement that is just `place`, else the smallest around."""
        around: cst.CSTNode | None = None
        for node in self._constructs():
            at = self._places[node]
            if at == place and not isinstance(node, cst.Expr):
                return node
            if _holds(at, place) and (around is None or _holds(self._places[around], at)):
                around = node
        return around

    def statement_at(self, place: Place) -> Statement | None:
        """The smallest statement around `place`."""
        found: Statement | None = None
        for node in self._constructs():
            if isinstance(node, _STATEMENTS) and _holds(self._places[node], place):
                found = node
        return found

    def place_of(self, node: cst.CSTNode) -> Place:
        """Where a node of this chunk stands in the file."""
        return self._places[node]

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node as it stands in the file, in parentheses if it has them."""
        text = self._text(self._places[node])
        return f"({text})" if getattr(node, "lpar", None) else text

    def owner_at(self, place: Place, member: str) -> str | None:
        """The code of `x` in `x.member` or `x.member(...)` at `place`; None for anything else."""
        node = self.node_at(place)
        if isinstance(node, cst.Assign):
            node = node.targets[0].target
        member_of = node.func if isinstance(node, cst.Call) else node
        if not isinstance(member_of, cst.Attribute) or member_of.attr.value != member:
            return None
        return self.code(member_of.value)

    def container_at(self, place: Place) -> str | None:
        """The code of the container that `place` puts something into: `x` in `x.append(y)` and
        `x[0] = y`; None for anything else."""
        node = self.node_at(place)
        if isinstance(node, cst.Assign):
            node = node.targets[0].target
        if isinstance(node, cst.Subscript):
            return self.code(node.value)
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            return None
        return self.code(node.func.value) if node.func.attr.value in _PUTTING else None

    @cached_property
    def lines(self) -> Lines:
        """The statements of the file, to edit as lines."""
        return Lines(self.source)

    @property
    def mends(self) -> "Mends":
        """The edits that can be made around this place."""
        from autograd_lint.rules.reading.mends import Mends

        return Mends(self)

    def statements(self) -> Iterator[Statement]:
        """The statements that were read, the outer before the inner."""
        return (node for node in self._constructs() if isinstance(node, _STATEMENTS))

    def inside(self, node: cst.CSTNode) -> list[cst.CSTNode]:
        """The expressions inside of a node, and the node itself."""
        around = self._places[node]
        return [one for one in self._constructs() if _holds(around, self._places[one])]

    def can_rebind(self, place: Place, target: str) -> bool:
        """Whether what comes after `place` would see a new tensor assigned to `target`."""
        return names.can_rebind(self.source, place, target)

    def assigned_at(self, place: Place) -> Assigned | None:
        """What the statement around `place` assigns to, if that is one name or attribute."""
        statement = self.statement_at(place)
        if isinstance(statement, cst.AugAssign):
            return Assigned(self.code(statement.target), True)
        if not isinstance(statement, cst.Assign) or len(statement.targets) != 1:
            return None
        target = statement.targets[0].target
        if not isinstance(target, (cst.Name, cst.Attribute)):
            return None
        name = self.code(target)
        inside = self.inside(statement.value)
        return Assigned(name, any(self.code(node) == name for node in inside))

    def _text(self, place: Place) -> str:
        lines = self.source.lines[place.row - 1 : place.end_row]
        lines[-1] = lines[-1][: place.end_column - 1]
        lines[0] = lines[0][place.column - 1 :]
        return "\n".join(lines)

    def write_at(self, place: Place, tensor: str | None, operator: str) -> Write | None:
        """How the code at `place` writes `tensor` by `operator`; None where no write was read."""
        return read_write(self, place, tensor, operator)

    @cached_property
    def _places(self) -> dict[cst.CSTNode, Place]:
        """Every node that was read; inner nodes stand before the nodes around them."""
        if self._rows is None:
            return {}
        first, last = self._rows
        text = "\n".join(self.source.lines[first - 1 : last]) + "\n"
        head = _HEAD if text[0].isspace() else ""
        above = first - 1 - head.count("\n")
        places = {node: self._place(at, above) for node, at in _positions(head + text).items()}
        return {node: place for node, place in places.items() if place.row >= first}

    def _place(self, at: CodeRange, above: int) -> Place:
        start, end = at.start, at.end
        return Place(
            self.source.filename,
            start.line + above,
            start.column + 1,
            end.line + above,
            end.column + 1,
        )

    def _constructs(self) -> Iterator[cst.CSTNode]:
        """Expressions and statements, the outer before the inner."""
        for node in reversed(self._places):
            if isinstance(node, (*_STATEMENTS, cst.BaseExpression)):
                yield node


def _positions(text: str) -> dict[cst.CSTNode, CodeRange]:
    try:
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
        return dict(wrapper.resolve(PositionProvider))
    except (cst.ParserSyntaxError, RecursionError, ValueError):
        return {}


def _holds(outer: Place, inner: Place) -> bool:
    starts = (outer.row, outer.column) <= (inner.row, inner.column)
    return starts and (inner.end_row, inner.end_column) <= (outer.end_row, outer.end_column)
