"""Custom Functions whose `backward` does not use the gradient that it is given."""

from __future__ import annotations

import ast

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.libraries.torch.events import FunctionBackwardRun
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import tensors_in


class IgnoredGradients(Checker):
    """Looks at each `backward` that has run."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, FunctionBackwardRun, cls.ran_backward)

    def ran_backward(self, interp: Interpreter, event: FunctionBackwardRun) -> None:
        """`backward` has run; where the Function gave the loss itself, that gradient is one."""
        passes = interp.engine.backward.passes
        if not passes or any(event.node is start for start in passes[-1].starts):
            return
        if next(tensors_in(event.result), None) is None or not event.backward.query(_is_ignored):
            return
        call, source = passes[-1].call, event.backward.source
        note(
            interp,
            Pitfall.OUTPUT_GRADIENT_IGNORED,
            source.place(event.backward.node),
            tensor=event.cls.name,
            needed=Needed(call.place, call.name),
            assumptions=event.node.requires,
        )


@query
def _is_ignored(_: Source, backward: ast.AST) -> bool:
    """Whether the code of `backward` reads none of the gradients that it is given."""
    if not isinstance(backward, ast.FunctionDef) or backward.args.vararg is not None:
        return False
    given = {one.arg for one in backward.args.args[1:]}
    names = (one for one in walk(backward) if isinstance(one, ast.Name))
    return bool(given) and not any(one.id in given for one in names)
