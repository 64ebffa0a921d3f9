"""Which classes of a project an object may be of, by the methods that are called of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.facts.body import methods_of
from autograd_lint.facts.definitions import Defined
from autograd_lint.facts.method_families import is_named_everywhere, is_of_one_family
from autograd_lint.facts.tests import is_test_class
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source


def receivers(methods: frozenset[str], project: Project) -> list[Defined]:
    """The classes of a family that alone has one of the methods, and that have all of them.

    What containers, tensors, modules and optimizers have tells nothing. A class that others of the
    family derive from comes first.
    """
    telling = sorted(name for name in methods if not is_named_everywhere(name))
    for name in telling:
        found = [one for source in project.speaking(name) for one in _having(source, name)]
        if found and is_of_one_family(name, found[0].node, project):  # type: ignore[arg-type]
            return [one for one in found if _has_all(one.node, telling)]
    return []


def _having(source: Source, name: str) -> Iterator[Defined]:
    return (Defined(source, node) for node in _classes(source) if name in _methods(node))


def _has_all(node: ast.AST, names: list[str]) -> bool:
    """Whether a class has methods of all names; one that derives from others may inherit them."""
    assert isinstance(node, ast.ClassDef)
    return bool(node.bases) or _methods(node).issuperset(names)


@query
def _classes(source: Source) -> list[ast.ClassDef]:
    found = [node for node in source.tree.body if isinstance(node, ast.ClassDef)]
    return [node for node in found if not is_test_class(node)]


@query
def _methods(node: ast.AST) -> frozenset[str]:
    return frozenset(one.name for one in methods_of(node))
