"""A text in pieces, for whoever looks for something in all of it: an edit changes few of them."""

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

T = TypeVar("T")


class Pieces:
    """The text of a module, cut where its statements and those of its classes end.

    So remarks and decorators belong to what stands below them. What is found in a piece is found
    once for as long as there is one with the same text, `before` an edit too.
    """

    def __init__(
        self, lines: Sequence[str], body: Sequence[ast.stmt], before: "Pieces | None" = None
    ) -> None:
        cuts = sorted({0, *_ends(body), len(lines)})
        texts = ["\n".join(lines[a:b]) for a, b in pairwise(cuts)]
        known = before._known if before is not None else {}
        self._texts = list(zip(cuts, texts, strict=False))
        self._known: dict[str, dict[object, Any]] = {text: known.get(text, {}) for text in texts}

    def each(self, find: Callable[[str], T]) -> list[tuple[int, T]]:
        """What `find` finds in every piece, with the row above it, in order."""
        found: list[tuple[int, T]] = []
        for row, text in self._texts:
            known = self._known[text]
            if find not in known:
                known[find] = find(text)
            found.append((row, known[find]))
        return found


def _ends(body: Sequence[ast.stmt]) -> Iterator[int]:
    """The rows on which statements end, of the module and of its classes."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _ends(statement.body)
        yield statement.end_lineno or statement.lineno
