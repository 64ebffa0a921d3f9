"""What happens to tensors, gradients, modules and optimizers in a run (see `vm/events.py`)."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from autograd_lint.engine.assumptions import Assumption
from autograd_lint.engine.backward import Pass
from autograd_lint.engine.events import Created, Modified
from autograd_lint.engine.graph import Node
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.tensor import CERTAINLY, Tensor
from autograd_lint.places import Place
from autograd_lint.vm.events import Event
from autograd_lint.vm.values import Class, Function, Instance, Unknown, Value

# Tensors ----------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class OperatorRun(Event):
    """An operator has run; `dotted` is its name in the table."""

    operation: Operation
    results: list[Tensor]
    node: ast.AST
    dotted: str


@dataclass(slots=True, eq=False, repr=False)
class ParameterMoved(Event):
    """An optimizer has written a parameter."""

    tensor: Tensor
    event: Modified


@dataclass(slots=True, eq=False, repr=False)
class Detached(Event):
    """`alias` was taken from the memory of `source` without its graph (`detach()`, `.data`,
    `state_dict()`)."""

    source: Tensor
    alias: Tensor
    made: Created


@dataclass(slots=True, eq=False, repr=False)
class DetachedInPlace(Event):
    """`tensor.detach_()` is about to take a tensor out of its graph."""

    tensor: Tensor
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class DataSet(Event):
    """`tensor.data = value` has given a tensor other contents."""

    tensor: Tensor
    value: Tensor
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class DataSetBack(Event):
    """`tensor.data = kept` has given a tensor the memory again that it was made with."""

    tensor: Tensor


@dataclass(slots=True, eq=False, repr=False)
class LeafMade(Event):
    """A factory, or `Variable`, was told to make a tensor that requires grad; `typed`: and of which
    dtype."""

    tensor: Tensor
    typed: bool


@dataclass(slots=True, eq=False, repr=False)
class NumbersMade(Event):
    """A tensor was made of these numbers; what of each stands where is not told."""

    tensor: Tensor
    numbers: frozenset[float]


@dataclass(slots=True, eq=False, repr=False)
class ParameterMade(Event):
    """`nn.Parameter(data)` has made a parameter."""

    made: Tensor
    data: Tensor
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class TensorCopied(Event):
    """A tensor was made, or filled, from another one; `node` is the call that has copied it."""

    copy: Tensor
    original: Tensor
    node: ast.AST | None = None


@dataclass(slots=True, eq=False, repr=False)
class ModuleCopied(Event):
    """A module was copied, with all that it holds and in the mode that it is in."""

    copy: Instance | Unknown
    original: Instance | Unknown


@dataclass(slots=True, eq=False, repr=False)
class ArrayTaken(Event):
    """NumPy is about to be handed a tensor."""

    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class RequiresGradAsked(Event):
    """`requires_grad` of a tensor is about to be set."""

    tensor: Tensor
    value: bool
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class RequiresGradSet(Event):
    """The flag of one tensor was set; `fresh`: to True, on one whose values are nobody else's."""

    tensor: Tensor
    place: Place
    fresh: bool


# Gradients --------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class BackwardCalled(Event):
    """The program calls `backward` or `autograd.grad`, which is about to begin."""

    node: ast.AST
    create_graph: bool


@dataclass(slots=True, eq=False, repr=False)
class PassBegun(Event):
    """A backward pass is about to put gradients into leaves, or to return them."""

    walk: Pass


@dataclass(slots=True, eq=False, repr=False)
class BackwardEnded(Event):
    """A `backward` of the program is over; the faults from index `faults` on are its own."""

    faults: int


@dataclass(slots=True, eq=False, repr=False)
class GradientRead(Event):
    """`tensor.grad` is read."""

    tensor: Tensor
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class AbsentGradientUsed(Event):
    """The program computes with the None that `node` has read as the `.grad` of a tensor which does
    not require grad."""

    tensor: Tensor
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class GradientsAsked(Event):
    """`autograd.grad` is asked for the gradients of these tensors."""

    tensors: list[Tensor]


@dataclass(slots=True, eq=False, repr=False)
class GradientsOfUnknown(Event):
    """`autograd.grad` is asked for gradients, of `outputs` by what is not known."""

    outputs: Value


@dataclass(slots=True, eq=False, repr=False)
class GradientsCleared(Event):
    """Gradients are about to be cleared, at a place; None where it is not known which."""

    tensors: list[Tensor] | None
    place: Place | None = None


@dataclass(slots=True, eq=False, repr=False)
class GradientsClipped(Event):
    """`clip_grad_norm_` is about to clip gradients; `bounded` says whether it is given a finite
    bound, None that nobody knows."""

    tensors: list[Tensor]
    place: Place
    call: ast.AST
    bounded: bool | None


@dataclass(slots=True, eq=False, repr=False)
class LossScaled(Event):
    """A gradient scaler that is `enabled`, or switched off, has made `node`."""

    node: Node
    enabled: bool
    scaler: Instance


@dataclass(slots=True, eq=False, repr=False)
class ScaleUpdated(Event):
    """A gradient scaler is about to change its scale."""

    scaler: Instance
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class GradientsUnscaled(Event):
    """A gradient scaler has divided gradients by its scale; None where it is not known which."""

    tensors: list[Tensor] | None


@dataclass(slots=True, eq=False, repr=False)
class TensorObserved(Event):
    """A hook was put on a tensor, or it is to keep its gradient."""

    tensor: Tensor
    operator: str
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class HookRegistered(Event):
    """A hook is put on a tensor or a module; `registered` will hold it until it is removed."""

    owner: Tensor | Instance
    hook: Value
    operator: str
    place: Place
    registered: list[Value]


@dataclass(slots=True, eq=False, repr=False)
class HookRun(Event):
    """A hook on a tensor was run on `gradient`, as backward would."""

    tensor: Tensor
    gradient: Tensor


# Optimizers -------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class OptimizerMade(Event):
    """An optimizer was made."""

    optimizer: Instance
    place: Place
    name: str


@dataclass(slots=True, eq=False, repr=False)
class StepBegun(Event):
    """An optimizer is about to use the gradients of its parameters."""

    optimizer: Instance
    tensors: list[Tensor]
    place: Place
    name: str


@dataclass(slots=True, eq=False, repr=False)
class ClosureRun(Event):
    """A step at a place has run the closure that it is given."""

    closure: Function
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class StepEnded(Event):
    """An optimizer is done with the gradients of its parameters, which it has written."""

    optimizer: Instance
    tensors: list[Tensor]
    place: Place
    name: str


@dataclass(slots=True, eq=False, repr=False)
class ZeroGradCalled(Event):
    """`optimizer.zero_grad()` is about to clear gradients."""

    optimizer: Instance
    tensors: list[Tensor]
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class SchedulerStepped(Event):
    """A learning-rate scheduler steps without being told an epoch."""

    optimizer: Value
    place: Place
    scheduler: Instance
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class SchedulerTold(Event):
    """A learning-rate scheduler steps, and is given `value`."""

    scheduler: Instance
    value: Value
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class SampleDrawn(Event):
    """A distribution with a density has drawn `sample`, without a graph."""

    sample: Tensor


@dataclass(slots=True, eq=False, repr=False)
class SampleScored(Event):
    """A distribution has given the probability of `sample`."""

    sample: Tensor


@dataclass(slots=True, eq=False, repr=False)
class ActionDrawn(Event):
    """A distribution of whatever kind has drawn `sample`, without a graph."""

    sample: Tensor


@dataclass(slots=True, eq=False, repr=False)
class ProbabilityGiven(Event):
    """A distribution of a `kind` has given a log probability; `sources` are its parameters and the
    value that it is one of."""

    kind: str
    sources: list[Tensor]
    result: Tensor


@dataclass(slots=True, eq=False, repr=False)
class LeafUpdated(Event):
    """The program itself has written a leaf with what came of its gradient."""

    leaf: Tensor
    place: Place
    operator: str


@dataclass(slots=True, eq=False, repr=False)
class LeafMoved(Event):
    """A method of an optimizer of the program has written a leaf with what came of its gradient."""

    leaf: Tensor
    place: Place
    operator: str


# Modules ----------------------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class AttributeRegistered(Event):
    """A method of a module sets an attribute (`register_buffer`, `eval()`)."""

    module: Instance
    name: str
    value: Value
    node: ast.AST
    buffer: bool = False


@dataclass(slots=True, eq=False, repr=False)
class EmbeddingLoaded(Event):
    """`Embedding.from_pretrained(vectors)` has made an embedding with this weight."""

    weight: Tensor
    is_frozen: bool
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class ReplicaMade(Event):
    """`wrapper` will average the gradients of `module` over processes when it is called itself."""

    wrapper: Instance
    module: Instance


@dataclass(slots=True, eq=False, repr=False)
class ArgumentOverwritten(Event):
    """What was called with `tensor` has written it, and returns `result`."""

    tensor: Tensor
    event: Modified
    result: Value


@dataclass(slots=True, eq=False, repr=False)
class StateTaken(Event):
    """A module is asked for its `state_dict()`."""

    place: Place


@dataclass(slots=True, eq=False, repr=False)
class StateLoaded(Event):
    """A parameter is about to be loaded from what `state_dict()` gave; `is_own` says that all of
    the module's parameters are, from their own memory."""

    parameter: Tensor
    state: Tensor
    node: ast.AST
    assumptions: frozenset[Assumption] = CERTAINLY
    is_own: bool = False


@dataclass(slots=True, eq=False, repr=False)
class StatesSaved(Event):
    """A file is about to get what `state_dict()` gave for parameters, one of each module."""

    states: list[Tensor]
    node: ast.AST


@dataclass(slots=True, eq=False, repr=False)
class MethodNotCalled(Event):
    """A method is computed with, or gone through, as if it had been called."""

    place: Place
    name: str


# Training by a harness --------------------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class LossReturned(Event):
    """A training step has returned a loss, made by `node`, to the harness that called it."""

    node: Node


@dataclass(slots=True, eq=False, repr=False)
class TrainedByHarness(Event):
    """A harness is about to train these parameters."""

    tensors: list[Tensor]


@dataclass(slots=True, eq=False, repr=False)
class ResultTrained(Event):
    """A harness has trained what a training step returned, because of an assumption."""

    function: Function
    result: Value
    because: Assumption


# Functions, checkpoints, threads ----------------------------------------------------------------


@dataclass(slots=True, eq=False, repr=False)
class FunctionForwardRun(Event):
    """`forward` of a custom Function has run on `inputs`, which had so many `writes` before.

    `dirty`, `saved` and `constant` are what it has marked on its `context`, or what is data.
    """

    cls: Class
    context: Instance
    inputs: list[Tensor]
    writes: list[int]
    dirty: list[Tensor]
    saved: list[Value]
    constant: list[Tensor]
    result: Value


@dataclass(slots=True, eq=False, repr=False)
class FunctionBackwardRun(Event):
    """`backward` of a custom Function has made `result` of the gradients of `node`, one for each of
    `outputs`, where these are known."""

    cls: Class
    backward: Function
    node: Node
    gradients: list[Tensor]
    result: Value
    inputs: list[Value]
    outputs: Sequence[Value]


@dataclass(slots=True, eq=False, repr=False)
class CheckpointRun(Event):
    """A reentrant checkpoint without an input that requires grad has run; `data` is what is rather
    data among its inputs, of which nothing else is known."""

    results: list[Tensor]
    place: Place
    data: frozenset[Assumption] = frozenset()


@dataclass(slots=True, eq=False, repr=False)
class FunctionCheckpointed(Event):
    """A checkpoint has run `function`, and backward will run it again when it comes to `nodes`."""

    function: Value
    nodes: list[Node]
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class RedrawnRun(Event):
    """A function has run in a checkpoint that draws other random numbers when it is run again.

    `nodes` are those of the run that backward goes through.
    """

    nodes: list[Node]
    place: Place


@dataclass(slots=True, eq=False, repr=False)
class ThreadRun(Event):
    """A function was run in a thread, begun at time `since`; `recorded` says that a graph was."""

    function: Value
    node: ast.AST
    since: int
    recorded: bool
