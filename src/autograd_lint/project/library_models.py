"""Models of libraries: Python that does to tensors and gradients what a module of a library does.

A model is a `.pyi` file in a folder of models: `lightning/fabric.pyi`, or
`lightning/fabric/__init__.pyi`, stands for the module `lightning.fabric`. It is read like a file of
the project, where nothing of the project answers to the import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from pathlib import Path

from autograd_lint.project import reading
from autograd_lint.project.installed_models import installed_folders, places_of_packages
from autograd_lint.project.source import Source

SUFFIX = ".pyi"
_OWN = Path(__file__).parent.parent / "libraries" / "stubs"  # the models that this package brings


class LibraryModels:
    """The models in some folders, the first that has one for a module, then those of this package.

    A file is read once, until `renew` is called.
    """

    def __init__(self, folders: Iterable[Path] = (), *, installed: bool = False) -> None:
        """Models in `folders`, and in those that packages bring which are `installed`."""
        self._given = tuple(folders)
        self._installed = installed
        self._read: dict[Path, Source | None] = {}

    @cached_property
    def _folders(self) -> tuple[Path, ...]:
        return (*self._given, *installed_folders()) if self._installed else self._given

    @cached_property
    def _places(self) -> tuple[str, ...]:
        return places_of_packages() if self._installed else ()

    def of(self, name: str) -> Source | None:
        """The model of a module by its dotted name; None where there is none that can be parsed."""
        for path in self._asked(name):
            if path not in self._read:
                self._read[path] = reading.parsed(str(path), name)
            found = self._read[path]
            if found is not None:
                return found
        return _own(name)

    def trail(self, name: str) -> Iterator[str]:
        """The files that may be the model of a module, those of this package left out, and the
        folders in which a package may appear that brings one."""
        yield from map(str, self._asked(name))
        yield from self._places

    def _asked(self, name: str) -> Iterator[Path]:
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
    found = (reading.parsed(str(path), name) for path in _files(_OWN, name))
    return next((source for source in found if source is not None), None)
