"""Functions that nothing in a file calls, and that do a whole training: they make the optimizer of
what they make, and step it. Of such a run it is known who trains what."""

from __future__ import annotations

import ast

from autograd_lint.facts.body import body
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter


def trains_by_itself(interp: Interpreter) -> bool:
    """Whether the run is one of a whole program, or of a function that does a whole training."""
    if interp.whole:
        return True
    frame = next((one for one in interp.frames if one.function is not None), None)
    if frame is None or frame.function is None or frame.receiver is not None:
        return False
    return interp.query(frame.source, _training_functions).issuperset({frame.function.node})


@query
def _training_functions(source: Source) -> frozenset[ast.AST]:
    """The functions of a file that make an optimizer of torch and step it."""
    return frozenset(one for one in source.each(ast.FunctionDef) if _trains(source, one))


def _trains(source: Source, function: ast.FunctionDef) -> bool:
    made = {
        one.path
        for one in body(function).assigned()
        if isinstance(one.value, ast.Call)
        and path_in(source, one.value.func).startswith("torch.optim.")
    }
    return any(call.method == "step" and call.owner in made for call in body(function).calls)
