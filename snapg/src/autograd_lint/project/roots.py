"""Where a project begins, and where a package does."""

from pathlib import Path

_MARKERS = (".git", "pyproject.toml", "setup.py", "setup.cfg")


def root_of(path: Path) -> Path:
    """The project that a file or directory belongs to: the nearest directory upward with `.git`,
    `pyproject.toml`, `setup.py` or `setup.cfg`, else the directory in which its package lies."""
    directory = path if path.is_dir() else path.parent
    for candidate in (directory, *directory.parents):
        if any((candidate / marker).exists() for marker in _MARKERS):
            return candidate
    return package_top(directory)


def speaking_of(path: Path) -> Path:
    """The folder whose files may speak of what a file or directory defines: the project.

    Of packages that lie side by side where they were installed (PEP 376: `.dist-info`), each is a
    project of its own.
    """
    root = root_of(path)
    inside = path.relative_to(root).parts
    installed = inside and any(root.glob("*.dist-info"))
    return root / inside[0] if installed else root


def package_top(directory: Path) -> Path:
    """The directory from which the package that `directory` belongs to is imported."""
    while (directory / "__init__.py").is_file() and directory != directory.parent:
        directory = directory.parent
    return directory
