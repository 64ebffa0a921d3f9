"""Small programs in, faults out."""

from __future__ import annotations

from unittest.mock import patch

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.faults import Fault
from autograd_lint.project.source import Source
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.scope import MISSING, Missing
from autograd_lint.vm.values import Value

HEAD = "import torch\nfrom torch import nn\n"


def faults(text: str) -> list[Fault]:
    """The faults that are at least likely in a program that imports torch and nn."""
    return [fault for fault in analyse(Source("a.py", HEAD + text)) if fault.weight <= 1]


def kinds(text: str) -> list[str]:
    """The kinds of the faults, each once, in the order of places."""
    return list(dict.fromkeys(fault.kind.value for fault in faults(text)))


def taking(taken: str, before: str = "") -> str:
    """A program that writes `g`, which `taken` binds, after `h` was saved for backward: it fails
    for certain where it is known that both are one tensor."""
    made = "h = torch.ones(3, requires_grad=True).exp()"
    return f"{before}\n{made}\n{taken}\ng.mul_(2)\nh.sum().backward()\n"


def bound(text: str, name: str) -> Value | Missing:
    """What a name of a whole program means when its run is over; MISSING where it means nothing."""
    found: list[Value | Missing] = []
    let_go = Interpreter.let_go

    def noted(run: Interpreter) -> None:
        found.append(run.frames[0].scope.lookup(name))
        let_go(run)

    with patch.object(Interpreter, "let_go", noted):
        analyse(Source("a.py", text))
    return found[0] if found else MISSING


def certain(text: str) -> list[str]:
    """The kinds of the faults that rest on no assumption."""
    return [fault.kind.value for fault in faults(text) if not fault.assumptions]
