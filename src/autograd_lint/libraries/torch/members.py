"""Calling methods that the interpreter knows itself, and methods of unknowns."""

from __future__ import annotations

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.array_packages import refuse_graphs_in_method
from autograd_lint.libraries.torch.distributions import distribution_method, is_distribution
from autograd_lint.libraries.torch.events import GradientsCleared
from autograd_lint.libraries.torch.functions.custom_functions import (
    apply_function,
    is_custom_function,
)
from autograd_lint.libraries.torch.modules.methods import module_method
from autograd_lint.libraries.torch.modules.opaque_methods import ITSELF, module_member
from autograd_lint.libraries.torch.modules.opaque_module_hooks import hooked, run_hooks
from autograd_lint.libraries.torch.modules.opaque_modules import close, result_of
from autograd_lint.libraries.torch.modules.opaque_parameters import module_of
from autograd_lint.libraries.torch.operators.apply import RENAMED
from autograd_lint.libraries.torch.operators.unknown_tensors import as_tensor
from autograd_lint.libraries.torch.tensors.conversions import leaves_cpu
from autograd_lint.libraries.torch.tensors.evidence import asked, is_parameter, may_be_array
from autograd_lint.libraries.torch.tensors.leaving_autograd import array_method
from autograd_lint.libraries.torch.tensors.methods import tensor_method
from autograd_lint.libraries.torch.tensors.unknown_attributes import becomes_leaf
from autograd_lint.libraries.torch.training.backward import call_unknown_backward
from autograd_lint.libraries.torch.training.clearing import says_it_clears
from autograd_lint.libraries.torch.training.optimizers import is_optimizer, optimizer_method
from autograd_lint.libraries.torch.training.roots import root_of
from autograd_lint.vm.attribute_functions import set_as_object
from autograd_lint.vm.calls import Call
from autograd_lint.vm.containers import items_method, mapping_method
from autograd_lint.vm.dictionaries import held, listed
from autograd_lint.vm.dictionary_methods import begin, dictionary_method
from autograd_lint.vm.instances import is_module
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.string_facts import without
from autograd_lint.vm.terms import LISTING, values_of_terms
from autograd_lint.vm.text_methods import text_method, usual_text_method
from autograd_lint.vm.unseen_code import call_unseen, reaches_objects
from autograd_lint.vm.values import (
    AWAY,
    COMPUTED_WITH,
    DATA,
    FOREIGN,
    GRADLESS,
    NOT_TENSORS,
    VALUE_OF,
    Bound,
    Class,
    Instance,
    Items,
    Mapping,
    Unknown,
    Value,
)

# Methods of tensors that other objects often have as well: they do not make a tensor of an unknown.
AMBIGUOUS = frozenset(
    [
        "abs",
        "add",
        "all",
        "any",
        "apply_",
        "argmax",
        "argmin",
        "argsort",
        "backward",
        "bool",
        "byte",
        "char",
        "clear",
        "clip",
        "clone",
        "close",
        "conj",
        "copy",
        "cos",
        "count",
        "cpu",
        "cross",
        "cuda",
        "cumprod",
        "cumsum",
        "data",
        "diagonal",
        "diff",
        "dim",
        "dot",
        "double",
        "eq",
        "equal",
        "expand",
        "fill",
        "find",
        "flatten",
        "flip",
        "float",
        "format",
        "gather",
        "get",
        "half",
        "index",
        "indices",
        "int",
        "item",
        "items",
        "keys",
        "lerp",
        "log",
        "long",
        "map",
        "max",
        "mean",
        "min",
        "mode",
        "mul",
        "name",
        "names",
        "numel",
        "numpy",
        "ones",
        "outer",
        "pop",
        "prod",
        "put",
        "ravel",
        "real",
        "remove",
        "rename",
        "repeat",
        "reset",
        "set_",
        "reshape",
        "resize",
        "round",
        "save",
        "scatter",
        "select",
        "set",
        "shape",
        "short",
        "sin",
        "size",
        "sort",
        "split",
        "square",
        "squeeze",
        "std",
        "step",
        "stride",
        "sub",
        "sum",
        "swapaxes",
        "take",
        "tile",
        "to",
        "tolist",
        "trace",
        "train",
        "transpose",
        "type",
        "unique",
        "update",
        "values",
        "var",
        "view",
        "where",
        "xor",
        "zero_grad",
        "requires_grad_",
        "share_memory_",
        "register_hook",
    ]
)
# Methods of what a call may return other than tensors: dictionaries, lists and objects.
CONTAINER = {
    "set_",  # of a TensorDict
    "keys",
    "items",
    "values",
    "get",
    "pop",
    "update",
    "copy",
    "clear",
    "count",
    "index",
    "indices",
    "put",
} | {"to"}
# Methods whose results never require grad: integers, booleans, and tensors made anew.
WITHOUT_GRADIENT = {
    *("long", "int", "short", "byte", "char", "bool", "argmax", "argmin", "argsort", "new")
}
# Methods whose results are data where their owner is: moved to a device, cast, or picked from it.
OF_OWNER = ITSELF | WITHOUT_GRADIENT
CHECKED = {"backward", "detach", "detach_", "retain_grad"}  # only tensors have them in practice


def call_member(interp: Interpreter, bound: Bound, call: Call) -> Value:
    """Call a method bound to a tensor, container, module or optimizer."""
    receiver = bound.receiver
    if isinstance(receiver, Tensor):
        return tensor_method(interp, receiver, bound.name, call)
    if isinstance(receiver, Items):
        return items_method(interp, receiver, bound.name, call)
    if isinstance(receiver, Mapping):
        return mapping_method(interp, receiver, bound.name, call)
    if isinstance(receiver, Class) and bound.name == "apply" and is_custom_function(receiver):
        return apply_function(interp, receiver, call)
    if isinstance(receiver, str):
        return text_method(interp, receiver, bound.name, call)
    if isinstance(receiver, Instance) and bound.name == "__setattr__" and not is_module(receiver):
        return set_as_object(interp, Call([receiver, *call.args], call.keywords, call.node))
    inner = held(receiver)
    if inner is not None and isinstance(receiver, Instance) and bound.name == "__init__":
        begin(interp, receiver, inner, call)
        return None
    if inner is not None:
        return dictionary_method(interp, inner, bound.name, call)
    inside = listed(receiver)
    if inside is not None:
        return items_method(
            interp, inside, "extend" if bound.name == "__init__" else bound.name, call
        )
    if isinstance(receiver, Instance):
        if is_optimizer(receiver):
            return optimizer_method(interp, receiver, bound.name, call)
        if is_distribution(receiver):
            return distribution_method(interp, receiver, bound.name, call)
        return module_method(interp, receiver, bound.name, call)
    return Unknown(interp.text(call.node))


def call_unknown(interp: Interpreter, unknown: Unknown, call: Call) -> Value:
    """Call an unknown: a method only tensors have makes its owner a tensor."""
    owner = unknown.parent
    if owner is not None and _tensorial(interp, owner, unknown.member, call):
        tensor = (root_of if unknown.member == "backward" else as_tensor)(interp, owner)
        if tensor is not None:
            return tensor_method(interp, tensor, unknown.member, call)
    if owner is not None:
        found = _of_known_kind(interp, owner, unknown.member, call)
        if found is not None:
            return found
    if owner is not None and unknown.member == "zero_grad" and module_of(owner) is None:
        interp.emit(GradientsCleared(None))  # an optimizer of whatever parameters
    if unknown.member == "backward" and len(call.args) == 1:
        call_unknown_backward(interp, call)
    foreign = owner is not None and FOREIGN in owner.attributes
    spoil(interp, call, "" if foreign else unknown.member, unknown.holder)
    if owner is not None and (owner.hint == "array" or owner.memory is not None):
        refuse_graphs_in_method(interp, owner, unknown.member, call)
        return array_method(interp, owner, unknown.member, call)
    result = result_of(interp, unknown, call)
    made = interp.world.optimizer_made(interp, call)
    if made is not None:
        return made
    if isinstance(result, Unknown) and not reaches_objects(call):
        if FOREIGN in (owner or unknown).attributes:
            result.attributes[FOREIGN] = True
        close(interp, result, unknown)
    if unknown.member in WITHOUT_GRADIENT:
        result.weight, result.source = DATA, None
        result.attributes[GRADLESS] = True
    if unknown.graph_breaks and isinstance(result, Unknown):
        result.graph_breaks = unknown.graph_breaks
    if owner is not None and isinstance(result, Unknown):
        _learn_of_owner(result, owner, unknown.member, call)
    run_hooks(interp, unknown, call, result)
    return result


def _learn_of_owner(result: Unknown, owner: Unknown, name: str, call: Call) -> None:
    """What a method gives has something of its owner: its values, or its graph elsewhere."""
    if name in LISTING:
        result.attributes[VALUE_OF] = owner
    if name == "requires_grad_" and call.get(0, "requires_grad", True) is not False:
        result.weight = 0
    if name in OF_OWNER:
        result.basis = owner
        result.given_like(owner)
        if leaves_cpu(name, call):
            result.attributes[AWAY] = True
    elif name == "clone":
        result.given_like(owner)


def _of_known_kind(interp: Interpreter, owner: Unknown, name: str, call: Call) -> Value:
    """What a method of a text, of a loss with terms or of a module gives that is not known, or one
    that hooks answer for; None of anything else."""
    found = _of_text(interp, owner, name, call) if owner.hint == "string" else None
    found = values_of_terms(interp, owner, name, call.node) if found is None else found
    if found is None:
        asked(interp, owner, name)
        found = hooked(interp, owner, name, call)
    return module_member(interp, owner, name, call) if found is None else found


def _of_text(interp: Interpreter, text: Unknown, name: str, call: Call) -> Value:
    """What a method of a text that is not known gives; None where nothing is known of that."""
    usual = usual_text_method(interp, text, name, call)
    if usual is not None or name != "replace":
        return usual
    return without(text, call, interp.text(call.node))


# Of them those that are ambiguous only as long as there are NumPy's arrays or pandas' frames.
NUMERIC = frozenset(
    [
        "abs",
        "argmax",
        "argmin",
        "argsort",
        "cos",
        "cumprod",
        "cumsum",
        "diagonal",
        "dot",
        "expand",
        "flatten",
        "log",
        "max",
        "mean",
        "min",
        "prod",
        "reshape",
        "round",
        "sin",
        "square",
        "squeeze",
        "std",
        "sum",
        "swapaxes",
        "transpose",
        "var",
        "view",
    ]
)


# And of those the ones that tensors take nothing for: `tracker.log(losses)` is something else.
UNARY = frozenset(["abs", "cos", "log", "sin", "square"])
# And those that tensors take no tensor for: `accelerator.pin_memory(buffer)` is something else.
ALONE = frozenset(["clone", "contiguous", "cpu", "cuda", "detach", "pin_memory", "share_memory_"])


def _tensorial(interp: Interpreter, owner: Unknown, name: str, call: Call) -> bool:
    if owner.hint in NOT_TENSORS:
        return False
    if name in CHECKED:
        return name != "backward" or len(call.args) == 0
    if name == "requires_grad_" and _is_to_learn(interp, owner, call):
        return True
    if name in UNARY and (call.args or call.keywords):
        return False
    if name in ALONE and any(isinstance(given, Tensor) for given in call.args):
        return False
    if name in NUMERIC and (is_parameter(interp, owner) or not may_be_array(interp, owner)):
        return True
    if name == "item" and COMPUTED_WITH in owner.attributes:
        return True
    if owner.source is not None and name not in CONTAINER:
        return interp.world.table.is_tensor_method(name)
    if name in RENAMED:
        return True
    return name not in AMBIGUOUS and interp.world.table.is_tensor_method(name)


def _is_to_learn(interp: Interpreter, owner: Unknown, call: Call) -> bool:
    """Whether `requires_grad_` is called of what is a tensor already, or data until now."""
    flag = call.get(0, "requires_grad", True)
    return owner.tensor is not None or becomes_leaf(interp, owner, flag)


def spoil(
    interp: Interpreter, call: Call, name: str = "", receiver: Instance | None = None
) -> None:
    """Code that is not seen is called, by that name of a method where it is one: what it can reach
    may be changed, and gradients cleared."""
    call_unseen(interp, call, name, receiver)
    given = (*call.args, *call.keywords.values())
    if any(map(is_optimizer, given)) or (given and says_it_clears(call)):
        interp.emit(GradientsCleared(None))
