"""Methods that only one family of classes has: whoever names such a method means one of these."""

from __future__ import annotations

import ast

from autograd_lint.facts.torch_methods import OF_MODULES, OF_OPTIMIZERS
from autograd_lint.operators.table import load
from autograd_lint.project.code import code_of
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk

_CONTAINERS = (dict, list, set, str)


def is_of_one_family(method: str, cls: ast.ClassDef, project: Project) -> bool:
    """Whether all that a project defines by a name are methods of a class and of its relatives.

    Those are related that derive from one another, or from a class that has the method as well.
    What containers, tensors, modules and optimizers have is named everywhere.
    """
    if _is_named_everywhere(method):
        return False
    sources = project.speaking(method)
    owners = [node for source in sources for node in walk(source.tree) if _has(node, method)]
    family, others = {cls.name}, [one for one in owners if isinstance(one, ast.ClassDef)]
    known = {one.name for one in others}
    while related := [one for one in others if not family.isdisjoint(_kin(one, known))]:
        family |= {name for one in related for name in _kin(one, known)}
        others = [one for one in others if one not in related]
    return bool(owners) and not others and all(isinstance(one, ast.ClassDef) for one in owners)


def _is_named_everywhere(method: str) -> bool:
    """Whether containers, tensors, modules or optimizers have a method of that name."""
    of_torch = method in OF_MODULES or method in OF_OPTIMIZERS or load().is_tensor_method(method)
    return of_torch or any(hasattr(kind, method) for kind in _CONTAINERS)


def _has(node: ast.AST, method: str) -> bool:
    """Whether something that others may name has a function of that name."""
    return isinstance(node, (ast.ClassDef, ast.Module)) and any(
        isinstance(one, ast.FunctionDef) and one.name == method for one in node.body
    )


def _kin(cls: ast.ClassDef, known: set[str]) -> set[str]:
    """A class, and those of its bases that are known."""
    return {cls.name, *(known & {code_of(base).rpartition(".")[2] for base in cls.bases})}
