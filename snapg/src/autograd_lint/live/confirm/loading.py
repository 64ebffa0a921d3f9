"""The user's file as a module, as much of it as runs here."""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from autograd_lint.live.confirm.standins import MissingModules, StandIn


class Loaded(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """A file whose top-level statements ran one by one; `assumptions` say what could not.

    It is imported under its own name, so that packages around it find it, and it them. `unknown`
    are names whose values come from statements that did not run.
    """

    def __init__(
        self, filename: str, tree: ast.Module, root: str, *, passive: bool = False
    ) -> None:
        """With `passive` only what defines something runs: imports, functions, constants."""
        skipped = [node for node in tree.body if passive and not _defines(node)]
        self.tree = ast.Module([node for node in tree.body if node not in skipped], [])
        self.unknown = frozenset(name for node in skipped for name in _bound(node))
        self.assumptions: list[str] = []
        self._filename = filename
        self._name, folder = module_name(filename)
        sys.path[0:0] = [folder, *([root] if root else [])]
        missing = MissingModules()
        sys.meta_path.insert(0, self)
        sys.meta_path.append(missing)
        sys.modules.pop(self._name, None)
        self._import_parents(folder)
        self.module = importlib.import_module(self._name)
        self.assumptions += missing.assumptions

    def _import_parents(self, folder: str) -> None:
        """Import the packages around the file; one that fails becomes an empty one."""
        parts = self._name.split(".")[:-1]
        for depth in range(1, len(parts) + 1):
            name = ".".join(parts[:depth])
            try:
                importlib.import_module(name)
            except Exception as error:
                package = ModuleType(name)
                package.__path__ = [str(Path(folder, *parts[:depth]))]
                sys.modules[name] = package
                said = f"{type(error).__name__}: {error}".partition("\n")[0][:80]
                self.assumptions.append(f"an empty package `{name}` ({said})")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The file's own name leads to its tree."""
        if fullname != self._name:
            return None
        is_package = Path(self._filename).stem == "__init__"
        spec = importlib.machinery.ModuleSpec(fullname, self, is_package=is_package)
        if is_package:
            spec.submodule_search_locations = [str(Path(self._filename).parent)]
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """As usual."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run the statements one by one."""
        self.module = module
        module.__file__ = self._filename
        for statement in self.tree.body:
            self._run(statement, self._filename)

    def _run(self, statement: ast.stmt, filename: str) -> None:
        code = compile(ast.Module([statement], []), filename, "exec", flags=_ANNOTATIONS)
        try:
            exec(code, self.module.__dict__)
        except Exception as error:
            self._replace(statement, error)

    def _replace(self, statement: ast.stmt, error: Exception) -> None:
        """Give stand-ins to the names that a failed statement was to bind."""
        names = sorted(_bound(statement))
        for name in names:
            self.module.__dict__.setdefault(name, StandIn())
        if names:
            said = f"{type(error).__name__}: {error}".partition("\n")[0][:80]
            row = statement.lineno
            self.assumptions.append(f"a stand-in for {', '.join(names)} (row {row}: {said})")


def _defines(node: ast.stmt) -> bool:
    """Whether a statement of a module defines something and does nothing else."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return True
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return True
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return not any(isinstance(inner, ast.Call) for inner in ast.walk(node))
    if isinstance(node, (ast.If, ast.Try)):
        handlers = node.handlers if isinstance(node, ast.Try) else []
        inner = [*node.body, *node.orelse, *(one for handler in handlers for one in handler.body)]
        return all(_defines(one) or isinstance(one, ast.Pass) for one in inner)
    return False


# Annotations stay text, as under `from __future__ import annotations`.
_ANNOTATIONS = 0x1000000


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias) and node.name != "*":
            names.add(node.asname or node.name.partition(".")[0])
    return names


def module_name(filename: str) -> tuple[str, str]:
    """The dotted name of a file's module, and the folder that is on the path."""
    path = Path(filename)
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts) or path.stem, str(folder)
