"""A class of tensors hands out its plain tensor without the graph that its other methods keep.

class Angle(torch.Tensor):
    def degrees(self): return self * 57.3
    def tensor(self): return self.data      # self.as_subclass(torch.Tensor) is meant

Source: https://docs.pytorch.org/docs/stable/notes/extending.html#subclassing-torch-tensor
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import CONVERTED, Pitfall
from autograd_lint.project.code import code_of
from autograd_lint.project.source import Source

CUTS = {"self.data": "data", "self.detach()": "detach"}
# Names of methods that are there to give a value without its graph.
_MEANT = re.compile(r"data|detach|numpy|raw|value|const|cpu|item|stop|no_grad|copy|clone|snapshot")


def judge(source: Source) -> Iterator[Fault]:
    """Methods that return nothing but the cut tensor, beside such as compute with it."""
    for cls in source.each(ast.ClassDef):
        methods = [one for one in cls.body if isinstance(one, ast.FunctionDef)]
        if any(map(_is_tensor, cls.bases)) and any(map(_computes, methods)):
            for method in methods:
                returned = _returned(method)
                if code_of(returned) in CUTS and not _is_meant(method):
                    yield _fault(source, cls, method, returned)


def _fault(source: Source, cls: ast.ClassDef, method: ast.FunctionDef, returned: ast.expr) -> Fault:
    trained = Assumption(Kind.RETURN_TRAINED, f"{cls.name}.{method.name}", weight=0)
    return Fault(
        Pitfall.GRADIENT_CUT,
        source.place(returned),
        tensor=f"{cls.name}.{method.name}()",
        operator=CUTS[code_of(returned)],
        detail=CONVERTED,
        assumptions=frozenset({trained}),
    )


def _is_tensor(base: ast.expr) -> bool:
    return code_of(base) in ("torch.Tensor", "Tensor")


def _is_meant(method: ast.FunctionDef) -> bool:
    return method.name.startswith("_") or _MEANT.search(method.name) is not None


def _returned(method: ast.FunctionDef) -> ast.expr:
    """The value that is all that a method of its object alone returns, behind its docstring."""
    body = method.body[1:] if ast.get_docstring(method, clean=False) is not None else method.body
    alone = len(body) == 1 and len(method.args.args) == 1
    last = body[0] if alone else None
    if isinstance(last, ast.Return) and last.value is not None:
        return last.value
    return ast.Constant(None)


def _computes(method: ast.FunctionDef) -> bool:
    """Whether a public method returns what it computes with its object."""
    if method.name.startswith("_") or code_of(_returned(method)) in CUTS:
        return False
    returns = (one.value for one in ast.walk(method) if isinstance(one, ast.Return) and one.value)
    parts = (part for value in returns for part in ast.walk(value))
    computed = (part for part in parts if isinstance(part, (ast.Call, ast.BinOp)))
    return any("self" in code_of(part) for part in computed)
