"""A class shows by its own code that it is used without grad mode.

class Sampler:
    def step(self, x):
        return self.net(x).numpy()
    @torch.enable_grad()
    def adapt(self, x):         # has to switch grad mode on to train something
        self.net(x).sum().backward()
"""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import FaultKind
from autograd_lint.evidence.signals.base import RECORDED, Case, Signal, name_of
from autograd_lint.facts.effects import effects
from autograd_lint.project.code import code_of
from autograd_lint.project.query import query


def _speaks(case: Case) -> bool:
    """Whether another method of the class has to switch grad mode on to train something, or what
    hands a result to NumPy has put its parts into evaluation mode when it was made."""
    owner, kind = case.owner, case.fault.kind
    if owner.cls is None or owner.function is None or kind not in RECORDED:
        return False
    switching = _switching(owner.cls)
    if switching and owner.function.name not in switching:
        return True
    return kind is FaultKind.NUMPY_ON_GRAD and _evaluates(owner.cls)


@query
def _switching(cls: ast.AST) -> frozenset[str]:
    """The methods of a class that are there to train with grad mode on, whatever it is outside."""
    return frozenset(
        one.name for one in _methods(cls) if _switches_on(one) and effects(one).differentiates
    )


def _methods(cls: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.iter_child_nodes(cls) if isinstance(node, ast.FunctionDef)]


def _switches_on(method: ast.FunctionDef) -> bool:
    blocks = [node for node in ast.walk(method) if isinstance(node, ast.With)]
    entered = [item.context_expr for block in blocks for item in block.items]
    return any("enable_grad" in code_of(one) for one in (*method.decorator_list, *entered))


@query
def _evaluates(cls: ast.AST) -> bool:
    """Whether the constructor of a class puts an attribute of the object into evaluation mode."""
    made = [node for one in _methods(cls) if one.name == "__init__" for node in ast.walk(one)]
    called = [code_of(node.func) for node in made if isinstance(node, ast.Call)]
    return any(one.startswith("self.") and one.endswith(".eval") for one in called)


SIGNAL = Signal("class-used-untrained", _speaks, Kind.GRAD_MODE_ON, about=name_of)
