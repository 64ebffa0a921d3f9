"""Edits of whole statements: one more before or behind, another block around, another order.

Only statements that have their lines to themselves are edited; comments and line breaks stay.
"""

import ast
from dataclasses import dataclass
from functools import cached_property

from autograd_lint.findings import Edit
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.rules.reading.edits import Edits


@dataclass(frozen=True)
class _Found:
    """A statement, the block that it stands in, and the function around it (None: the module).

    `headers` are the `with` blocks of that function around it, as they are written.
    """

    statement: ast.stmt
    block: list[ast.stmt]
    function: ast.AST | None
    headers: tuple[str, ...] = ()

    @property
    def first(self) -> int:
        """Its first row."""
        return self.statement.lineno

    @property
    def last(self) -> int:
        """Its last row."""
        return self.statement.end_lineno or self.statement.lineno


class Lines:
    """The statements of one source, as lines."""

    def __init__(self, source: Source) -> None:
        self._source = source

    @cached_property
    def torch(self) -> str | None:
        """What the file calls torch; None where it does not import it as a whole."""
        for statement in self._source.tree.body:
            for name in statement.names if isinstance(statement, ast.Import) else ():
                if name.name == "torch" or (name.name.startswith("torch.") and not name.asname):
                    return name.asname or "torch"
        return None

    @cached_property
    def nn(self) -> str | None:
        """What the file calls `torch.nn`: the name it has for it, else that of torch before it."""
        for statement in self._source.tree.body:
            if isinstance(statement, ast.Import):
                named = [one.asname for one in statement.names if one.name == "torch.nn"]
            elif isinstance(statement, ast.ImportFrom) and statement.module == "torch":
                named = [one.asname or "nn" for one in statement.names if one.name == "nn"]
            else:
                continue
            if named and named[0]:
                return named[0]
        return f"{self.torch}.nn" if self.torch else None

    def before(self, place: Place, text: str) -> Edits:
        """Put a line before the statement at `place`."""
        found = self._alone(place)
        return (self._at(found.first, 1, self._indent(found) + text + "\n"),) if found else ()

    def after(self, place: Place, text: str) -> Edits:
        """Put a line behind the statement at `place`."""
        found = self._alone(place)
        if found is None:
            return ()
        end = len(self._source.lines[found.last - 1]) + 1
        return (self._at(found.last, end, "\n" + self._indent(found) + text),)

    def under(self, place: Place, header: str) -> Edits:
        """Put the statement at `place` into a block with this header.

        Right behind such a block it joins it.
        """
        found = self._alone(place)
        if found is None or _has_long_string(found.statement):
            return ()
        indent, unit = self._indent(found), self._unit
        deeper = [
            self._at(row, 1, unit)
            for row in range(found.first, found.last + 1)
            if self._source.lines[row - 1].strip()
        ]
        if self._follows(found, header):
            return tuple(deeper)
        return self._at(found.first, 1, f"{indent}{header}\n{unit}"), *deeper[1:]

    def moved_after(self, place: Place, other: Place) -> Edits:
        """Put the statement at `place` behind the one at `other`, which follows in its block."""
        found, goal = self._alone(place), self._alone(other)
        if found is None or goal is None or found.block is not goal.block:
            return ()
        end = len(self._source.lines[goal.last - 1]) + 1
        lines = self._source.lines[found.first - 1 : found.last]
        added = self._at(goal.last, end, "".join("\n" + line for line in lines))
        return self._removed(found), added

    def moved_before(self, place: Place, other: Place) -> Edits:
        """Put the statement at `place` before the one at `other`, which stands in its block."""
        found, goal = self._alone(place), self._alone(other)
        if found is None or goal is None or found.block is not goal.block:
            return ()
        lines = self._source.lines[found.first - 1 : found.last]
        added = self._at(goal.first, 1, "".join(line + "\n" for line in lines))
        return self._removed(found), added

    def share_function(self, place: Place, other: Place) -> bool:
        """Whether both places are in the body of the same function, or of the module."""
        one, two = self._found(place), self._found(other)
        return one is not None and two is not None and one.function is two.function

    def share_block(self, place: Place, other: Place) -> bool:
        """Whether both places are in statements that follow each other in one block."""
        one, two = self._found(place), self._found(other)
        return one is not None and two is not None and one.block is two.block

    def is_under(self, place: Place, manager: str) -> bool:
        """Whether a `with` block of this function around `place`, or a decorator of the function,
        enters such a context manager."""
        found = self._found(place)
        if found is None:
            return False
        marks = getattr(found.function, "decorator_list", [])
        return any(manager in code for code in (*found.headers, *map(ast.unparse, marks)))

    def _removed(self, found: _Found) -> Edit:
        name = self._source.filename
        if found.last < len(self._source.lines):
            return Edit("", Place(name, found.first, 1, found.last + 1, 1))
        before = len(self._source.lines[found.first - 2]) + 1
        end = len(self._source.lines[found.last - 1]) + 1
        return Edit("", Place(name, found.first - 1, before, found.last, end))

    def _at(self, row: int, column: int, text: str) -> Edit:
        return Edit(text, Place(self._source.filename, row, column, row, column))

    def _indent(self, found: _Found) -> str:
        line = self._source.lines[found.first - 1]
        return line[: len(line) - len(line.lstrip())]

    @cached_property
    def _unit(self) -> str:
        """What the file indents a block with."""
        for node in ast.walk(self._source.tree):
            body = getattr(node, "body", None)
            if isinstance(node, ast.stmt) and isinstance(body, list) and body:
                inner = self._source.lines[body[0].lineno - 1][: body[0].col_offset]
                if body[0].lineno > node.lineno and not inner.strip():
                    return inner[node.col_offset :] or "    "
        return "    "

    def _alone(self, place: Place) -> _Found | None:
        """The innermost statement around a place, where it has its lines to itself."""
        found = self._found(place)
        if found is None:
            return None
        lines = self._source.lines
        end = found.statement.end_col_offset or 0
        rest = lines[found.last - 1].encode()[end:].decode(errors="replace").strip()
        start = lines[found.first - 1].encode()[: found.statement.col_offset]
        own = not start.strip() and (not rest or rest.startswith("#"))
        # An `elif` is an `If` of its own in the tree; a decorator stands above its statement.
        tied = lines[found.first - 1].lstrip().startswith("elif")
        decorated = bool(getattr(found.statement, "decorator_list", None))
        return found if own and not tied and not decorated else None

    def _found(self, place: Place) -> _Found | None:
        if place.filename != self._source.filename:
            return None
        found: _Found | None = None
        function: ast.AST | None = None
        headers: tuple[str, ...] = ()
        block = self._source.tree.body
        while block:
            inside = [one for one in block if _rows_hold(one, place)]
            if not inside:
                return found
            statement = inside[-1] if len(inside) > 1 else inside[0]
            found = _Found(statement, block, function, headers)
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                function, headers = statement, ()
            elif isinstance(statement, (ast.With, ast.AsyncWith)):
                headers = (*headers, *(ast.unparse(item.context_expr) for item in statement.items))
            block = next(
                (b for b in _blocks(statement) if any(_rows_hold(s, place) for s in b)), []
            )
        return found

    def _follows(self, found: _Found, header: str) -> bool:
        """Whether the statement follows a block with this header line for line."""
        index = found.block.index(found.statement)
        block = found.block[index - 1] if index else None
        if not isinstance(block, ast.With) or block.end_lineno != found.first - 1:
            return False
        return self._source.lines[block.lineno - 1].strip() == header


def _rows_hold(statement: ast.stmt, place: Place) -> bool:
    return statement.lineno <= place.row and place.end_row <= (statement.end_lineno or 0)


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    handlers = [handler.body for handler in getattr(statement, "handlers", [])]
    return [*blocks, *handlers, *(case.body for case in getattr(statement, "cases", []))]


def _has_long_string(statement: ast.stmt) -> bool:
    """Whether a string in it goes over several lines, which a deeper indent would change."""
    return any(
        isinstance(node, (ast.Constant, ast.JoinedStr)) and node.lineno != node.end_lineno
        for node in ast.walk(statement)
    )
