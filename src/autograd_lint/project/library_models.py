"""Models of libraries: Python that does to tensors and gradients what a module of a library does.

A model is a `.pyi` file in a folder of models: `lightning/fabric.pyi`, or
`lightning/fabric/__init__.pyi`, stands for the module `lightning.fabric`. It is read like a file of
the project, where nothing of the project answers to the import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from autograd_lint import disk
from autograd_lint.project import reading
from autograd_lint.project.source import Source

SUFFIX = ".pyi"
_OWN = Path(__file__).parent.parent / "libraries" / "stubs"  # the models that this package brings


class LibraryModels:
    """The models in some folders, the first that has one for a module, then those of this package.

    A file is read once, until `renew` is called.
    """

    def __init__(self, folders: Iterable[Path] = ()) -> None:
        self._folders = tuple(folders)
        self._read: dict[Path, Source | None] = {}

    def of(self, name: str) -> Source | None:
        """The model of a module by its dotted name; None where there is none that can be parsed."""
        for path in self.asked(name):
            if path not in self._read:
                self._read[path] = _parsed(path, name)
            found = self._read[path]
            if found is not None:
                return found
        return _own(name)

    def asked(self, name: str) -> Iterator[Path]:
        """The files that may be the model of a module, those of this package left out."""
        return (path for folder in self._folders for path in _files(folder, name))

    def renew(self) -> None:
        """See the files as they are by now."""
        self._read.clear()


def _files(folder: Path, name: str) -> Iterator[Path]:
    target = folder.joinpath(*name.split("."))
    yield target / f"__init__{SUFFIX}"
    yield target.with_name(target.name + SUFFIX)


@cache
def _own(name: str) -> Source | None:
    found = (_parsed(path, name) for path in _files(_OWN, name))
    return next((source for source in found if source is not None), None)


def _parsed(path: Path, name: str) -> Source | None:
    try:
        source = reading.decode(disk.read(str(path)), str(path))
        if reading.excess(source.text):
            return None
        found = Source(source.filename, source.text, stands_for=name)
        _ = found.tree
    except (OSError, *reading.UNREADABLE):
        return None
    return found
