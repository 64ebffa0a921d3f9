"""What PyTorch refuses at the call itself, whatever has been saved or written."""

from __future__ import annotations

import ast

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.tensor import CERTAINLY
from autograd_lint.places import Place
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter


def refuse(
    interp: Interpreter,
    at: ast.AST | Place | None,
    operator: str,
    detail: str,
    *,
    tensor: str | None = None,
    built: Created | None = None,
    handed: Place | None = None,
    assumptions: frozenset[Assumption] = CERTAINLY,
    warned: bool = False,
) -> None:
    """Report that `operator` is refused there, with the `detail` that PyTorch gives.

    `tensor` is what the program calls the tensor at fault, `built` what made it, or the earlier
    call at fault, `handed` the call by which the tensor came; `warned` says that torch only warns,
    and the program goes on. Outside of modules, what the code is given and hands to what refuses
    graphs is taken for data.
    """
    if not any(is_module(frame.receiver) for frame in interp.frames):
        assumptions = frozenset(why.as_data() if why.weight else why for why in assumptions)
    tell = interp.engine.note if warned else interp.engine.report
    tell(
        Fault(
            FaultKind.OTHER,
            interp.place(at) if isinstance(at, ast.AST) else at,
            tensor=tensor,
            operator=operator,
            detail=detail,
            built=built,
            handed=handed,
            assumptions=assumptions,
            warned=warned,
        )
    )
