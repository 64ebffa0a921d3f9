"""Which file answers to a dotted name, as far as the files on the disk tell it."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from autograd_lint.project.folders import Folders
from autograd_lint.project.roots import package_top

_PACKAGE = "__init__.py"


class Lookup:
    """Looks up names below some roots; files that are `opened` count as being there.

    What is asked of the disk is asked once, until this is renewed.
    """

    def __init__(self, roots: tuple[Path, ...], opened: Collection[str]) -> None:
        self._roots = roots
        self._opened = opened
        self._inner = tuple(map(str, roots))
        self._resolved = tuple(root.resolve() for root in roots)
        self._searched = tuple(str(one) for root in roots for one in (root, root / "src"))
        self._answers: dict[tuple[str, str, int], tuple[str, frozenset[str]]] = {}
        self._found: dict[str, bool] = {}
        self._folders = Folders(self._inner)
        self._counted = frozenset(opened)  # those that were opened when answers were given
        self._asked_of_links = False  # or of what listings do not tell
        self._inside: dict[str, bool] = {}
        self._tops: dict[str, str] = {}
        self._bases: dict[str, tuple[str, ...]] = {}
        self._packages: dict[str, tuple[str, ...]] = {}

    def renew(self) -> bool:
        """See the disk as it is by now; returns whether answers may be others than before."""
        before, self._folders = self._folders, Folders(self._inner)
        inside, self._inside = self._inside, {}
        if (
            not self._asked_of_links
            and self._counted == frozenset(self._opened)
            and all(self._folders.of(folder) == told for folder, told in before.listed())
            and all(self._is_inside(path) == there for path, there in inside.items())
        ):
            return False
        self._counted, self._asked_of_links = frozenset(self._opened), False
        for answers in (self._answers, self._found, self._tops, self._bases, self._packages):
            answers.clear()
        return True

    def holds(self, path: str) -> bool:
        """Whether a file is there, below one of the roots."""
        if path not in self._found:
            self._found[path] = path in self._opened or self._is_on_disk(path)
        return self._found[path]

    def answer(self, directory: str, name: str, level: int) -> tuple[str, frozenset[str]]:
        """The file that answers to a name that a file of a folder imports, empty where none does,
        and all paths that were asked for on the way. `level` counts the dots before the name."""
        while level > 1 and (above := os.path.dirname(directory)) not in ("", directory):
            directory, level = above, level - 1  # many folders ask the same of one above
        question = (directory, name, level)
        if question not in self._answers:
            self._answers[question] = self._search(os.path.abspath(directory), name, level)
        return self._answers[question]

    def packages(self, filename: str) -> tuple[str, ...]:
        """The `__init__.py` of the packages that a file lies in, the innermost first, and the first
        one that is missing."""
        directory = os.path.dirname(filename)
        if directory not in self._packages:
            inside = [str(parent / _PACKAGE) for parent in Path(filename).parents]
            numbered = (n for n, path in enumerate(inside) if not self.holds(path))
            self._packages[directory] = tuple(inside[: next(numbered, len(inside)) + 1])
        return self._packages[directory]

    def _search(self, directory: str, name: str, level: int) -> tuple[str, frozenset[str]]:
        parts = name.split(".") if name else []
        bases = self._bases_of(directory, level)
        if len(parts) > 1 and not any(self._may_hold(base, parts[0]) for base in bases):
            return "", self.answer(directory, parts[0], level)[1]
        deciding = () if level else (directory, self._top(directory))
        asked = {os.path.join(folder, _PACKAGE) for folder in deciding}
        for path in (path for base in bases for path in _candidates(base, parts)):
            asked.add(path)
            if self.holds(path):
                return path, frozenset(asked)
        return "", frozenset(asked)

    def _bases_of(self, directory: str, level: int) -> tuple[str, ...]:
        """Where a name is looked up, in Python's order as far as the files tell it."""
        if level:
            return _above(directory, level - 1)
        if directory not in self._bases:
            top = self._top(directory)
            # Among them the folder itself: a script inside of a package is started by its path.
            folders = (top, *self._searched, directory, *self._around(Path(top)))
            self._bases[directory] = tuple(dict.fromkeys(folders))
        return self._bases[directory]

    def _around(self, top: Path) -> Iterator[str]:
        """The folders around a package or script inside of the roots, the nearest first: whoever
        imports it may be a script there."""
        for root in self._roots:
            if root in top.parents:
                yield from (str(one) for one in top.parents if root in one.parents)

    def _top(self, directory: str) -> str:
        if directory not in self._tops:
            self._tops[directory] = str(package_top(Path(directory), self._is_file))
        return self._tops[directory]

    def _is_on_disk(self, path: str) -> bool:
        if not self._is_file(path):
            return False
        folder, name = os.path.split(path)
        listing = self._folders.of(folder)
        plain = listing is not None and name in listing.files
        return self._is_inside(folder if plain or not os.path.islink(path) else path)

    def _is_file(self, path: str | Path) -> bool:
        """Whether there is a file, or a link to one, anywhere on the disk."""
        folder, name = os.path.split(path)
        listing = self._folders.of(folder)
        if listing is not None and (name in listing.files or name not in listing.names):
            return name in listing.files
        self._asked_of_links = True
        return os.path.isfile(path)

    def _may_hold(self, base: str, folder: str) -> bool:
        """Whether a folder may hold another one; those of files that are opened count as there."""
        listing = self._folders.of(base)
        return listing is None or folder in listing.names or bool(self._opened)

    def _is_inside(self, path: str) -> bool:
        """Whether a file or folder, wherever links lead, lies below one of the roots."""
        if path not in self._inside:
            real = Path(path).resolve()
            self._inside[path] = any(real.is_relative_to(root) for root in self._resolved)
        return self._inside[path]


def _candidates(base: str, parts: list[str]) -> Iterator[str]:
    """The paths of the package and of the module of that name in a folder."""
    target = os.sep.join((base, *parts))
    yield f"{target}{os.sep}{_PACKAGE}"
    if parts:
        yield f"{target}.py"


def _above(directory: str, levels: int) -> tuple[str, ...]:
    """The folder so many levels above another, if there are as many."""
    for _ in range(levels):
        directory, below = os.path.dirname(directory), directory
        if directory == below:
            return ()
    return (directory,)
