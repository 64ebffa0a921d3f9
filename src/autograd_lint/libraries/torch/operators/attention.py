"""Which kernels attention may take: only the one written in plain operators, which has a second
derivative, or fused ones too, which have none.

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.attention.sdpa_kernel.html and
https://docs.pytorch.org/docs/stable/backends.html (torch.backends.cuda.enable_flash_sdp).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from autograd_lint.operators.facts import Form, GapKind
from autograd_lint.vm.calls import Call
from autograd_lint.vm.contents import elements
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.managers import Manager
from autograd_lint.vm.values import External, Value

ATTENDING = ("scaled_dot_product_attention", "nn.Transformer")
FUSED = "FLASH_ATTENTION"  # the one that a CPU takes as well


@dataclass(slots=True)
class Kernels:
    """Whether `fused` kernels may be taken now."""

    fused: bool = True


def with_kernels(interp: Interpreter, name: str, form: Form) -> Form:
    """The form of an operator with the kernels that attention may take now."""
    if interp.state(Kernels).fused or not any(one in name for one in ATTENDING):
        return form
    return replace(form, gaps=tuple(gap for gap in form.gaps if gap.kind is not GapKind.ONCE))


def _kernel(interp: Interpreter, call: Call) -> Value:
    """`sdpa_kernel(SDPBackend.MATH)`, or of a list of several."""
    given = call.get(0, "backends")
    known = elements(given)
    names = {one.path.rpartition(".")[2] for one in known if isinstance(one, External)}
    return _allowing(FUSED in names)


def _older_kernel(interp: Interpreter, call: Call) -> Value:
    """`torch.backends.cuda.sdp_kernel(enable_flash=False)`."""
    return _allowing(call.get(0, "enable_flash", True) is True)


def _allowing(fused: bool) -> Manager:
    @contextmanager
    def enter(interp: Interpreter) -> Iterator[Value]:
        kernels = interp.state(Kernels)
        before, kernels.fused = kernels.fused, fused
        try:
            yield None
        finally:
            kernels.fused = before

    return Manager(enter)


def _enable(interp: Interpreter, call: Call) -> Value:
    """`torch.backends.cuda.enable_flash_sdp(False)`."""
    interp.state(Kernels).fused = call.get(0, "enabled") is True
    return None


KERNELS: dict[str, Callable[[Interpreter, Call], Value]] = {
    "torch.nn.attention.sdpa_kernel": _kernel,
    "torch.backends.cuda.sdp_kernel": _older_kernel,
    "torch.backends.cuda.enable_flash_sdp": _enable,
}
