"""Which file of the source imports which: late imports count, those for types alone do not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import autograd_lint

ROOT = Path(autograd_lint.__file__).parent
Edges = dict[str, set[str]]
"""The files that each file imports, by the dotted names below `autograd_lint`."""


def module_name(path: Path) -> str:
    """`vm.values` for vm/values.py, `rules` for rules/__init__.py; the package itself is ""."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def edges() -> Edges:
    """Every import of one file of the source by another."""
    files = {module_name(path): path for path in ROOT.rglob("*.py")}
    trees = {name: ast.parse(path.read_bytes()) for name, path in files.items()}
    return {
        name: {target for one in _imported(tree) if (target := _file(one, files)) != name}
        for name, tree in trees.items()
    }


def _file(dotted: str, files: dict[str, Path]) -> str:
    """The file that holds a dotted name: a module, or what is defined in one."""
    inner = dotted.partition(".")[2]
    return inner if inner in files else inner.rpartition(".")[0]


def _imported(tree: ast.AST) -> Iterator[str]:
    """The dotted names below `autograd_lint` that a file imports while it runs."""
    for node in _running(tree):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names if _is_own(one.name))
        elif isinstance(node, ast.ImportFrom) and _is_own(node.module or ""):
            yield from (f"{node.module}.{one.name}" for one in node.names)


def _is_own(dotted: str) -> bool:
    return dotted.partition(".")[0] == "autograd_lint"


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those below `if TYPE_CHECKING`."""
    yield node
    types_alone = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    below = node.orelse if types_alone else ast.iter_child_nodes(node)
    for child in below:
        yield from _running(child)


def circles(graph: Edges) -> list[set[str]]:
    """The sets of files that reach each other, each of two or more."""
    reached = {name: _reached(graph, name) for name in graph}
    found: list[set[str]] = []
    for name in graph:
        if name in reached[name] and not any(name in circle for circle in found):
            found.append({other for other in reached[name] if name in reached[other]})
    return found


def _reached(graph: Edges, start: str) -> set[str]:
    seen: set[str] = set()
    stack = [start]
    while stack:
        for target in graph.get(stack.pop(), ()):
            if target not in seen:
                seen.add(target)
                stack.append(target)
    return seen
