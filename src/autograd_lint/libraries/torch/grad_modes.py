"""The functions that set grad mode."""

from __future__ import annotations

from collections.abc import Callable

from autograd_lint.engine.events import Created
from autograd_lint.vm.calls import Call
from autograd_lint.vm.deciding import decide
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import GradMode
from autograd_lint.vm.values import Function, Unknown, Value

Run = Callable[[Interpreter, Call], Value]


def _grad_mode(grad: bool, inference: bool | None = None) -> Run:
    def enter(interp: Interpreter, call: Call) -> Value:
        mode = GradMode(grad, inference, made=_here(interp, call))
        target = call.get(0, "orig_func")
        return target.under(mode) if isinstance(target, Function) else mode

    return enter


def _set_grad_enabled(interp: Interpreter, call: Call) -> Value:
    wanted = call.get(0, "mode")
    if isinstance(wanted, Unknown):
        known = interp.world.passed.get(call.node)
        wanted = decide(interp, wanted, call.node) if known is None else known
    before = interp.engine.grad_enabled
    interp.engine.grad_enabled = bool(wanted)
    interp.engine.switch = _here(interp, call)
    return GradMode(bool(wanted), before=before, made=interp.engine.switch)


def _inference_mode(interp: Interpreter, call: Call) -> Value:
    wanted = call.get(0, "mode", True)
    if isinstance(wanted, Function):
        return wanted.under(GradMode(False, True, made=_here(interp, call)))
    off = wanted is not False
    return GradMode(not off, off, made=_here(interp, call))


def _here(interp: Interpreter, call: Call) -> Created:
    return Created(interp.place(call.node), interp.text(call.node).partition("(")[0])


def _is_grad_enabled(interp: Interpreter, call: Call) -> Value:
    return interp.engine.grad_enabled


GRAD_MODES: dict[str, Run] = {
    "torch.no_grad": _grad_mode(False),
    "torch.enable_grad": _grad_mode(True),
    "torch.inference_mode": _inference_mode,
    "torch.set_grad_enabled": _set_grad_enabled,
    "torch.is_grad_enabled": _is_grad_enabled,
}
