"""Which code objects of the running program are functions of its project, and which ones."""

from __future__ import annotations

import inspect
from functools import lru_cache
from pathlib import Path
from types import CodeType

from autograd_lint.live.sites import Sites
from autograd_lint.live.source import lines_of, tree_of
from autograd_lint.observed.calls import Key
from autograd_lint.observed.texts import Definition, digest, functions_in

# What runs in parts has no one call that gives its arguments and its result.
_IN_PARTS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Codes:
    """Finds the key of a code object; the files are those of the user below `folder`."""

    def __init__(self, folder: Path, sites: Sites) -> None:
        self._folder = folder
        self._sites = sites
        self._known: dict[int, tuple[CodeType, Key | None]] = {}

    def knows(self, code: CodeType) -> bool:
        """Whether it is known what a code object is."""
        return id(code) in self._known

    def learn(self, code: CodeType) -> None:
        """Find out what a code object is; where that fails it is none of the project's."""
        self._known[id(code)] = (code, None)  # kept: its number stays
        self._known[id(code)] = (code, self._found(code))

    def key_of(self, code: CodeType) -> Key | None:
        """The function that a known code object is of; None where it is none of the project's."""
        return self._known[id(code)][1]

    def _found(self, code: CodeType) -> Key | None:
        if code.co_flags & _IN_PARTS or not self._sites.is_user_file(code.co_filename):
            return None
        path = Path(code.co_filename).absolute()
        if not path.is_relative_to(self._folder):
            return None
        name, text = _functions(str(path)).get(code.co_firstlineno, ("", ""))
        if not name or name.rpartition(".")[2] != code.co_name:
            return None
        return Key(path.relative_to(self._folder).as_posix(), name, text)


@lru_cache(maxsize=64)
def _functions(filename: str) -> dict[int, tuple[str, str]]:
    """The functions of a file by the row at which their code begins."""
    tree = tree_of(filename)
    if tree is None:
        return {}
    lines = lines_of(filename)
    return {_first_row(node): (name, digest(lines, node)) for name, node in functions_in(tree)}


def _first_row(node: Definition) -> int:
    """The row that a code object gives: that of the first decorator."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
