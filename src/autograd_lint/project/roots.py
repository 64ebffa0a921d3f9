"""Where a project begins, and where a package does."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_REPOSITORY = ".git"
_MARKERS = (_REPOSITORY, "pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True)
class Home:
    """The project that a file belongs to: its folder, and those in which its imports are looked up,
    the nearest first."""

    folder: Path
    roots: tuple[Path, ...]


@dataclass
class Homes:
    """Tells the projects of files; `named` are the folders that stand for projects where nothing on
    the disk marks one. It lives for one run: a folder is looked at once."""

    named: tuple[Path, ...] = ()
    _known: dict[Path, Home] = field(default_factory=dict)

    def of(self, directory: Path) -> Home:
        """The project that the files of a folder belong to."""
        if directory not in self._known:
            self._known[directory] = self._found(directory)
        return self._known[directory]

    def _found(self, directory: Path) -> Home:
        marked = _marked(directory)
        if marked:
            return Home(marked[-1], marked)
        above = [folder for folder in self.named if directory.is_relative_to(folder)]
        root = min(above, key=lambda folder: len(folder.parts), default=package_top(directory))
        return Home(_installed(directory, root) or root, (root,))


def _marked(directory: Path) -> tuple[Path, ...]:
    """The folders with a project file from a folder up to the one that holds all of the project:
    the repository, else the nearest with a `pyproject.toml`, else the topmost of them."""
    found = list(_up_to_repository(directory))
    if not found or (found[-1] / _REPOSITORY).exists():
        return tuple(found)
    for position, folder in enumerate(found):
        if (folder / "pyproject.toml").is_file():
            return tuple(found[: position + 1])
    return tuple(found)


def _up_to_repository(directory: Path) -> Iterator[Path]:
    for folder in (directory, *directory.parents):
        if any((folder / marker).exists() for marker in _MARKERS):
            yield folder
            if (folder / _REPOSITORY).exists():
                return


def _installed(directory: Path, root: Path) -> Path | None:
    """The folder of an installed package: packages that lie side by side (PEP 376: `.dist-info`)
    are projects of their own, which can import each other."""
    inside = directory.relative_to(root).parts
    return root / inside[0] if inside and any(root.glob("*.dist-info")) else None


def folder_of(path: Path) -> Path:
    """What a file or folder stands for as a project: itself, or where a file is imported from."""
    return path if path.is_dir() else package_top(path.parent)


def package_top(directory: Path, is_file: Callable[[Path], bool] = Path.is_file) -> Path:
    """The directory from which the package that `directory` belongs to is imported."""
    while is_file(directory / "__init__.py") and directory != directory.parent:
        directory = directory.parent
    return directory
