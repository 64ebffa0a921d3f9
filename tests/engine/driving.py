"""Driving the abstract engine by hand: a few operators, leaves, backward passes."""

from collections.abc import Callable, Sequence

from autograd_lint.engine.backward import backward
from autograd_lint.engine.backward_call import Call
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.machine import Engine
from autograd_lint.engine.operate import run
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.shapes import Sizes
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.operators.facts import Alias, AliasKind, Form, Output, Save

BOTH = frozenset({"0", "1"})

ADD = Form(differentiable=BOTH, outputs=(Output(True, shape="broadcast"),))
MUL = Form(
    differentiable=BOTH,
    saves=(Save("0", frozenset({"1"})), Save("1", frozenset({"0"}))),
    outputs=(Output(True, shape="broadcast"),),
)
SQUARE = Form(saves=(Save("0"),), frees=True, outputs=(Output(True, shape="broadcast"),))
EXP = Form(saves=(Save("out0"),), frees=True, outputs=(Output(True, shape="broadcast"),))
SUM = Form(outputs=(Output(True, shape="scalar"),))
COMPARE = Form(outputs=(Output(False, dtype="bool"),))
WRITE = Form(modifies=("0",), outputs=(Output(True, alias=Alias("0", AliasKind.SELF)),))
COPY = Form(
    modifies=("0",),
    differentiable=BOTH,
    outputs=(Output(True, alias=Alias("0", AliasKind.SELF)),),
)


def _alias(kind: AliasKind) -> Form:
    return Form(outputs=(Output(kind is not AliasKind.DETACHED, alias=Alias("0", kind)),))


VIEW = _alias(AliasKind.VIEW)
PART = _alias(AliasKind.MULTI_VIEW)
DETACH = _alias(AliasKind.DETACHED)
DATA = _alias(AliasKind.UNVERSIONED)


def leaf(shape: Sizes = (3,)) -> Tensor:
    """A leaf that requires grad."""
    return Tensor(requires=CERTAINLY, shape=shape)


def plain(shape: Sizes = (3,)) -> Tensor:
    """A tensor that does not require grad."""
    return Tensor(shape=shape)


def apply(engine: Engine, form: Form, *arguments: object) -> Tensor:
    """The first result of an operator."""
    keyed = {str(position): value for position, value in enumerate(arguments)}
    return run(engine, Operation("op", form, keyed, None))[0]


def walk(
    engine: Engine, root: Tensor, *, inputs: Sequence[Tensor] | None = None, retain: bool = False
) -> None:
    """`root.backward(...)`."""
    backward(engine, Call([root], None, inputs=inputs, gradient_given=True, retain_graph=retain))


def fault_of(engine: Engine, action: Callable[[], object]) -> Fault | None:
    """The first error that an action leads to for certain, None where there is none."""
    before = len(engine.faults)
    action()
    found = [fault for fault in engine.faults[before:] if isinstance(fault.kind, FaultKind)]
    return next((fault for fault in found if not fault.premises), None)


def kind_of(engine: Engine, action: Callable[[], object]) -> FaultKind | Pitfall | None:
    """The kind of that error."""
    fault = fault_of(engine, action)
    return fault.kind if fault else None
