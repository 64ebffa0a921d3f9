"""Calls of outside functions: torch's own, and what little of other packages matters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from autograd_lint.engine.events import Modified
from autograd_lint.engine.inplace import check_inplace, check_overlap, write
from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.einops import REARRANGING
from autograd_lint.libraries.library_functions import LIBRARY, first
from autograd_lint.libraries.operator_functions import call_operator
from autograd_lint.libraries.packages import result_outside
from autograd_lint.libraries.torch.collectives import COLLECTIVES
from autograd_lint.libraries.torch.distributions import divergence, make_distribution
from autograd_lint.libraries.torch.events import GradientsClipped
from autograd_lint.libraries.torch.functions.custom_operators import custom_operator
from autograd_lint.libraries.torch.grad_modes import GRAD_MODES
from autograd_lint.libraries.torch.members import spoil
from autograd_lint.libraries.torch.modules.checkpointed_series import checkpoint_sequential
from autograd_lint.libraries.torch.modules.checkpoints import checkpoint
from autograd_lint.libraries.torch.modules.embeddings import PRETRAINED, load_embedding
from autograd_lint.libraries.torch.modules.functional_calls import FUNCTIONAL_CALLS
from autograd_lint.libraries.torch.modules.modules import make_external
from autograd_lint.libraries.torch.modules.opaque_modules import (
    close,
    loaded,
    made_module,
    makes_module,
    result_of,
)
from autograd_lint.libraries.torch.modules.packed_sequences import rearranged
from autograd_lint.libraries.torch.modules.parallel import PARALLEL
from autograd_lint.libraries.torch.modules.parameter_vectors import PARAMETER_VECTORS
from autograd_lint.libraries.torch.modules.parametrizations import PARAMETRIZATIONS
from autograd_lint.libraries.torch.modules.states import save
from autograd_lint.libraries.torch.operators.apply import apply_operator, bind, find_operator
from autograd_lint.libraries.torch.operators.attention import KERNELS
from autograd_lint.libraries.torch.operators.broadcasting import BROADCASTING
from autograd_lint.libraries.torch.operators.kinds import JOINING
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.packing import PACKING
from autograd_lint.libraries.torch.tensors.constructors import WRAPPING
from autograd_lint.libraries.torch.tensors.conversions import reshaping
from autograd_lint.libraries.torch.tensors.factories import (
    FACTORIES,
    like,
    make,
)
from autograd_lint.libraries.torch.tensors.leaving_autograd import outside, taken
from autograd_lint.libraries.torch.tensors.methods import (
    is_floating,
    refuse_numpy,
    tensor_method,
)
from autograd_lint.libraries.torch.training.backward import (
    autograd_backward,
    autograd_grad,
    gradcheck,
    gradgradcheck,
)
from autograd_lint.libraries.torch.training.datasets import (
    make_dataset,
    make_loader,
    make_sampler,
)
from autograd_lint.libraries.torch.training.optimizers import optimizer_class
from autograd_lint.libraries.torch.training.schedulers import SCHEDULERS, make_scheduler
from autograd_lint.libraries.torch.transforms.forward_ad import FORWARD_AD
from autograd_lint.libraries.torch.transforms.functional_derivatives import FUNCTIONAL
from autograd_lint.libraries.torch.transforms.transforms import TRANSFORMS
from autograd_lint.operators.facts import Operator
from autograd_lint.vm.arrays import write_array
from autograd_lint.vm.builtin_functions import BUILTINS
from autograd_lint.vm.calls import Call
from autograd_lint.vm.comparing import is_given
from autograd_lint.vm.contents import elements, tensor_of
from autograd_lint.vm.control import ProgramRaises
from autograd_lint.vm.iteration import begin_iteration, iterate
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.unseen_code import reaches_objects
from autograd_lint.vm.values import FOREIGN, OBJECT, SURELY_ARRAY, Items, Unknown, Value

Run = Callable[[Interpreter, Call], Value]

FILLING = {"zeros_", "ones_", "constant_", "eye_", "dirac_"}  # need no memory of its own
# What they draw from: numbers, or tensors, to which the graph of the draws leads back.
_PARAMETERS_OF_DRAWS = {"normal": ("mean", "std"), "bernoulli": ("input", "p")}
NUMPY_READERS = {"array", "asarray", "ascontiguousarray", "asfortranarray", "copy"}


def call_external(interp: Interpreter, path: str, call: Call) -> Value:
    """Call something of an outside package by its dotted name."""
    if interp.world.table.lacks(path):
        return _not_understood(interp, call)
    return _runner(path)(interp, call)


@lru_cache(10_000)
def _runner(path: str) -> Run:
    """What carries out a function of that dotted name."""
    if path in FUNCTIONS:
        return FUNCTIONS[path]
    head, _, name = path.rpartition(".")
    if head == "builtins":
        return BUILTINS.get(name, _not_understood)
    if head == "torch" and name in FACTORIES:
        return partial(_factory, path=path)
    if head == "torch" and name.endswith("_like"):
        return partial(_like, name=name)
    if head in ("operator", "_operator"):
        return lambda interp, call: call_operator(interp, name, call)
    if head == "numpy" and name in NUMPY_READERS:
        return lambda interp, call: _numpy(interp, name, call)
    return partial(_known_or_not, path=path)


def _not_understood(interp: Interpreter, call: Call) -> Value:
    return Unknown(interp.text(call.node))


def _factory(interp: Interpreter, call: Call, path: str) -> Value:
    drawn = _drawn_from_tensors(call)
    if drawn is not None:
        return _known_or_not(interp, drawn, path)
    return make(interp, path.rpartition(".")[2], call)


def _like(interp: Interpreter, call: Call, name: str) -> Value:
    return like(interp, as_tensor(interp, call.get(0, "input")), name, call)


def _known_or_not(interp: Interpreter, call: Call, path: str) -> Value:
    """A function of torch or of a package of which some are known."""
    known = result_outside(interp, path, call)
    if known is not None:
        if isinstance(known, (Unknown, Tensor)):
            known.graph_breaks = taken(interp, [*call.args, *call.keywords.values()], path, call)
            write_array(call.keywords.get("out"), path, interp.place(call.node))
        return known
    return _torch(interp, path, call) if path.startswith("torch.") else _outside(interp, path, call)


def _drawn_from_tensors(call: Call) -> Call | None:
    """`torch.normal(mean, std)`, `torch.bernoulli(p)`: operators where they are given tensors, and
    no factories; the call with these in their places."""
    named = _PARAMETERS_OF_DRAWS.get(interp_text(call), ())
    given = [call.get(place, name) for place, name in enumerate(named)]
    if not any(isinstance(one, (Tensor, Unknown)) for one in given) or "size" in call.keywords:
        return None
    if any(isinstance(one, Items) for one in call.args):
        return None
    rest = {name: one for name, one in call.keywords.items() if name not in named}
    return Call([one for one in given if one is not None], rest, call.node, call.open)


def interp_text(call: Call) -> str:
    """The last name of the function called."""
    function = call.node.func if isinstance(call.node, ast.Call) else None
    return function.attr if isinstance(function, ast.Attribute) else ""


def _torch(interp: Interpreter, path: str, call: Call) -> Value:
    name = path.rpartition(".")[2]
    if path.startswith("torch.nn.utils.rnn."):
        return rearranged(interp, path, call) or _outside(interp, path, call)
    made = _made(interp, path, call)
    if made is not None:
        return made
    if path.startswith("torch.nn.init.") and name.endswith("_"):
        return _initialize(interp, name, call)
    if path in PRETRAINED:
        return load_embedding(interp, path, call)
    if path.startswith("torch.Tensor.") and call.args:
        tensor = as_tensor(interp, call.args[0])
        if tensor is not None:
            rest = Call(call.args[1:], call.keywords, call.node, call.open)
            return tensor_method(interp, tensor, name, rest)
    if path == "torch.distributions.kl_divergence":
        return divergence(interp, call)
    return _operator(interp, path, call)


def _made(interp: Interpreter, path: str, call: Call) -> Value | None:
    """The object of a class of torch that a call makes; None where it calls no such class."""
    name = path.rpartition(".")[2]
    if path.startswith(SCHEDULERS) and name[:1].isupper():
        return make_scheduler(path, call)
    if optimizer_class(path):
        return make_external(interp, path, call)
    if path.startswith("torch.nn.") and name[:1].isupper():
        return make_external(interp, f"torch.nn.{name}", call)
    if path.startswith("torch.distributions.") and name[:1].isupper():
        return make_distribution(interp, path, call)
    return None


def _operator(interp: Interpreter, path: str, call: Call) -> Value:
    """The call of an operator, or of a function that torch makes of several of them."""
    name = path.rpartition(".")[2]
    if name == "einsum":
        call = _spread(call)
    operator = find_operator(interp, path)
    listed = name.startswith("_foreach_") and not isinstance(call.get(0, "self"), Items)
    if operator is None or listed:
        return _outside(interp, path, call)
    # They refuse to join nothing.
    if name in JOINING and _is_empty(call.get(0, "tensors")):
        raise ProgramRaises("RuntimeError")
    _settle(interp, operator, call)
    label = _first_argument(interp, call.node)
    return apply_operator(interp, path, call.args, call.keywords, call.node, label=label)


def _spread(call: Call) -> Call:
    """`einsum(equation, [a, b])`, which is `einsum(equation, a, b)`."""
    if len(call.args) == 2 and isinstance(call.args[1], Items) and call.args[1].closed:
        return Call([call.args[0], *call.args[1].items], call.keywords, call.node, call.open)
    return call


def _is_empty(value: Value) -> bool:
    return isinstance(value, Items) and value.closed and not value.items


def _first_argument(interp: Interpreter, node: ast.AST) -> str | None:
    """How a call speaks of its first argument, which an in-place function writes."""
    return interp.text(node.args[0]) if isinstance(node, ast.Call) and node.args else None


def _settle(interp: Interpreter, operator: Operator, call: Call) -> None:
    """Unknown arguments that a function takes only as tensors are tensors, so is an `out` that is
    not None on this path."""
    if is_given(interp, call.keywords.get("out")):
        as_tensor(interp, call.keywords["out"])
    for key, value in bind(operator, call.args, call.keywords).items():
        if key in operator.differentiable and (key == "0" or key not in operator.tested):
            for item in elements(value):
                as_tensor(interp, item)


def _outside(interp: Interpreter, path: str, call: Call) -> Value:
    """Unknown code, which may change what it is handed."""
    if path == "torch.load":
        return loaded(interp, call)
    if makes_module(path):
        return made_module(interp, call)
    spoil(interp, call)
    result = result_of(interp, Unknown(interp.text(call.node)), call)
    made = interp.world.optimizer_made(interp, call)
    if made is not None:
        return made
    if not reaches_objects(call):
        result.attributes[FOREIGN] = True
        close(interp, result, result)
    if result.source is None and path.rpartition(".")[2][:1].isupper():
        result.attributes[OBJECT] = True
    return result


def _numpy(interp: Interpreter, name: str, call: Call) -> Value:
    value = call.get(0, "object")
    tensor = tensor_of(value)
    for part in [tensor] if tensor is not None else _converted(value):
        refuse_numpy(interp, part, call, f"numpy.{name}")
    array = outside(interp, f"numpy.{name}", call, "array")
    array.attributes[SURELY_ARRAY] = True
    if name.startswith("as") and tensor is not None:
        array.memory = tensor.storage
    return array


def _converted(value: Value) -> Iterator[Tensor]:
    """The tensors whose numbers an array of something has: those in lists. Objects stay objects."""
    for one in value.items if isinstance(value, Items) else ():
        tensor = tensor_of(one)
        if tensor is not None:
            yield tensor
        else:
            yield from _converted(one)


def _initialize(interp: Interpreter, name: str, call: Call) -> Value:
    """`nn.init.xavier_uniform_(w)`: an in-place write under no_grad."""
    tensor = as_tensor(interp, call.get(0, "tensor"))
    if tensor is not None:
        place = interp.place(call.node)
        event = Modified(place, name, tensor.name, tensor.storage.version + 1)
        with interp.engine.mode(grad=False):
            check_inplace(interp.engine, tensor, None, event, place)
        if name not in FILLING:
            check_overlap(interp.engine, tensor, event, place)
        write(tensor, name, place)
    return tensor


def _is_floating(interp: Interpreter, call: Call) -> Value:
    tensor = as_tensor(interp, call.get(0, "input"))
    return (
        Unknown(interp.text(call.node), "bool")
        if tensor is None
        else is_floating(interp, tensor, call)
    )


def _nothing(interp: Interpreter, call: Call) -> Value:
    return None


def _clip_gradients(interp: Interpreter, call: Call) -> Value:
    given = call.get(0, "parameters")
    begin_iteration(interp, given, call.node)
    found = iterate(interp, given, call.node).gathered()
    tensors = [item for item in found if isinstance(item, Tensor)]
    place, bound = interp.place(call.node), call.get(1, "max_norm")
    bounded = bound != float("inf") if isinstance(bound, (int, float)) else None
    interp.emit(GradientsClipped(tensors, place, call.node, bounded))
    for tensor in tensors:
        if tensor.grad is not None:
            write(tensor.grad, "clip_grad_norm_", place)
    return Unknown(interp.text(call.node), hint="number")


def _is_tensor(interp: Interpreter, call: Call) -> Value:
    value = call.get(0, "obj")
    if isinstance(value, Unknown) and value.tensor is None:
        return value.derived("is tensor", interp.text(call.node), "bool")
    return isinstance(value, (Tensor, Unknown))


def _scaler(interp: Interpreter, call: Call) -> Value:
    from autograd_lint.libraries.torch.training.scaler import call_scaler

    return call_scaler(interp, call)


FUNCTIONS: dict[str, Run] = {
    **BROADCASTING,
    **COLLECTIVES,
    **FORWARD_AD,
    **FUNCTIONAL,
    **FUNCTIONAL_CALLS,
    **PARAMETER_VECTORS,
    **GRAD_MODES,
    **KERNELS,
    **LIBRARY,
    **PACKING,
    **PARALLEL,
    **PARAMETRIZATIONS,
    **REARRANGING,
    **TRANSFORMS,
    **WRAPPING,
    **{f"torch.{name}": reshaping(name) for name in ("reshape", "flatten", "ravel")},
    "torch.is_tensor": _is_tensor,
    "torch.library.custom_op": custom_operator,
    "torch.is_floating_point": _is_floating,
    "torch.autograd.grad": autograd_grad,
    "torch.autograd.gradcheck": gradcheck,
    "torch.autograd.gradgradcheck": gradgradcheck,
    "torch.autograd.backward": autograd_backward,
    "torch.utils.checkpoint.checkpoint": checkpoint,
    "torch.utils.checkpoint.checkpoint_sequential": checkpoint_sequential,
    "torch.utils.data.TensorDataset": make_dataset,
    "torch.utils.data.DataLoader": make_loader,
    "torch.utils.data.DistributedSampler": make_sampler,
    "torch.utils.data.distributed.DistributedSampler": make_sampler,
    "torch.compile": first,
    "torch.jit.script": first,
    "torch.nn.utils.clip_grad_norm": _clip_gradients,
    "torch.nn.utils.clip_grad_norm_": _clip_gradients,
    "torch.nn.utils.clip_grad_value_": _clip_gradients,
    "torch.manual_seed": _nothing,
    "torch.save": save,
    "torch.cuda.amp.GradScaler": _scaler,
    "torch.amp.GradScaler": _scaler,
    "torch.GradScaler": _scaler,
}
