"""The user's file as a module, as much of it as runs here."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType

from autograd_lint.live.confirm.standins import MissingModules, StandIn


class Loaded:
    """A file whose top-level statements ran one by one; `assumptions` say what could not."""

    def __init__(self, filename: str, tree: ast.Module, root: str) -> None:
        self.tree = tree
        self.assumptions: list[str] = []
        name, package, folder = module_name(filename)
        self.module = ModuleType(name)
        self.module.__file__ = filename
        self.module.__package__ = package
        sys.modules[name] = self.module
        sys.path[0:0] = [folder, *([root] if root else [])]
        missing = MissingModules()
        sys.meta_path.append(missing)
        for statement in tree.body:
            self._run(statement, filename)
        self.assumptions += [f"a stand-in for the module `{used}`" for used in missing.used]

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


def module_name(filename: str) -> tuple[str, str, str]:
    """The dotted name of a file's module, its package, and the folder that is on the path."""
    path = Path(filename)
    parts = [] if path.stem == "__init__" else [path.stem]
    folder = path.parent
    while (folder / "__init__.py").exists():
        parts.insert(0, folder.name)
        folder = folder.parent
    name = ".".join(parts) or path.stem
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    return name, package, str(folder)
