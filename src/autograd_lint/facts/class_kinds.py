"""What the objects of a class are, as its bases and its methods tell: modules, data, Functions."""

from __future__ import annotations

import ast
import re

from autograd_lint.project.code import code_of

Definition = ast.FunctionDef | ast.AsyncFunctionDef
_BASES_OF_MODULES = re.compile(r"(?:Module|Model|Net|Network|Layer|Block)$")
_BASES_OF_DATA = re.compile(r"Dataset$|DataModule$|Env$")


def last_names(cls: ast.ClassDef) -> list[str]:
    """The last parts of the names of its bases."""
    return [code_of(base).rpartition(".")[2] for base in cls.bases]


def _has(cls: ast.ClassDef, *names: str) -> bool:
    own = {node.name for node in cls.body if isinstance(node, Definition)}
    return own.issuperset(names)


def is_module(cls: ast.ClassDef) -> bool:
    """Whether a class is a module by the name of a base, or has a `forward`."""
    return is_named_module(cls) or (_has(cls, "forward") and not is_custom_function(cls))


def is_named_module(cls: ast.ClassDef) -> bool:
    """Whether a class has a base that is a module by its name."""
    return any(_BASES_OF_MODULES.search(name) for name in last_names(cls))


def is_data(cls: ast.ClassDef) -> bool:
    """Whether a class gives data: a dataset, or what agents act in."""
    named = any(_BASES_OF_DATA.search(name) for name in last_names(cls))
    return named or _has(cls, "__getitem__", "__len__") or _is_environment(cls)


def _is_environment(cls: ast.ClassDef) -> bool:
    """Whether agents act in it: a step gives what they see, a reward, whether it is over, and more.

    Source: https://gymnasium.farama.org/api/env/
    """
    steps = [node for node in cls.body if getattr(node, "name", "") == "step"]
    given = [node.value for one in steps for node in ast.walk(one) if isinstance(node, ast.Return)]
    acts = any(isinstance(value, ast.Tuple) and len(value.elts) in (4, 5) for value in given)
    return acts and _has(cls, "reset")


def is_custom_function(cls: ast.ClassDef) -> bool:
    """Whether a class derives from `torch.autograd.Function`, by the name of its base."""
    return "Function" in last_names(cls)
