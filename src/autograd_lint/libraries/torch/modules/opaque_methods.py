"""Methods of modules of unknown classes: what lists, clears, freezes and puts them into a mode."""

from __future__ import annotations

from autograd_lint.engine.tensor import Tensor
from autograd_lint.libraries.torch.events import TensorCopied
from autograd_lint.libraries.torch.modules.opaque_modules import (
    PART,
    is_closed,
    parts_of,
)
from autograd_lint.libraries.torch.modules.opaque_parameters import (
    COPIES,
    EVALUATED,
    TRAINED,
    is_module_by_use,
    name_in,
    opaque_parameter,
    other_parameter,
    requiring,
)
from autograd_lint.libraries.torch.modules.opaque_states import (
    later_state,
    load_state,
    state_of,
    take_for_modules,
)
from autograd_lint.libraries.torch.tensors.flags import ask
from autograd_lint.libraries.torch.training.clearing import zero_gradients
from autograd_lint.vm.calls import Call
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import DATA, Items, Mark, Unknown, Value

_MODES = {"train", "eval"}  # what puts a module into one
_MODULES = {"children", "modules"}
_NAMED_MODULES = {"named_children", "named_modules"}
_VALUES = {"buffers", "named_buffers"}  # have no graph
ITSELF = {"train", "eval", "to", "cuda", "cpu", "float", "double", "half", "bfloat16"}


def module_member(interp: Interpreter, owner: Unknown, name: str, call: Call) -> Value | None:
    """`owner.name(...)` where that is what modules have; None where it is nothing of the kind."""
    listed = _listed(interp, owner, name)
    if listed is not None:
        _learn_of_copies(interp, owner.root)
        return listed
    if owner.source is not None and name == "to":
        return owner
    if name == "requires_grad_" and call.get(0, "requires_grad", True) is False:
        _freeze(interp, owner, call)
        return owner
    if name in _MODES:
        _set_mode(interp, owner.root, name, call)
    if name == "load_state_dict":
        take_for_modules(owner, call)
    if is_module_by_use(owner.root):
        return _method_of_module(interp, owner, name, call)
    if name == "state_dict" and not call.args:
        return later_state(interp, owner, call)
    return None


def _freeze(interp: Interpreter, owner: Unknown, call: Call) -> None:
    """Freeze the parameters of something, should it be a module: else nobody asks for any."""
    known = is_module_by_use(owner.root)
    for tensor in _all_parameters(owner):
        if known:
            ask(interp, tensor, False, call.node)
        tensor.requires = None


def _unfreeze(interp: Interpreter, owner: Unknown, call: Call) -> None:
    """Let the parameters of a module require grad."""
    for tensor in _all_parameters(owner):
        ask(interp, tensor, True, call.node)
        tensor.requires = requiring(owner)


def _learn_of_copies(interp: Interpreter, module: Unknown) -> None:
    """What has turned out to be a module was copied before: its copies are modules as well."""
    copies = module.attributes.pop(COPIES, None)
    for copied in copies.items if isinstance(copies, Items) else ():
        if isinstance(copied, Unknown):
            interp.emit(TensorCopied(opaque_parameter(copied), opaque_parameter(module)))


def _listed(interp: Interpreter, owner: Unknown, name: str) -> Items | None:
    """The parameters or the parts of a module that one of its methods lists, once."""
    if name == "parameters":
        other = other_parameter(is_closed(interp, owner))
        return _given_once([*_all_parameters(owner)], other)
    if name in _MODULES:
        return _given_once([_part(owner)], Unknown("a part", weight=2))
    if name in _NAMED_MODULES:
        return _given_once([], Items("tuple", [Unknown("a name", "string"), _part(owner)]))
    if name != "named_parameters":
        return None
    pairs = [
        Items("tuple", [name_in(owner, position), tensor])
        for position, tensor in enumerate(_all_parameters(owner))
    ]
    other = other_parameter(is_closed(interp, owner))
    return _given_once([*pairs], Items("tuple", [Unknown("a name", "string"), other]))


def _given_once(items: list[Value], rest: Value) -> Items:
    """What a generator gives, of which the number is not known."""
    return Items("list", items, rest, single_pass=True)


def _set_mode(interp: Interpreter, owner: Unknown, name: str, call: Call) -> None:
    """Take note of the mode that something is put into: whether it is a module may show later."""
    training = name == "train" and call.get(0, "mode", True) is not False
    set_here = Mark(interp.place(call.node))
    owner.attributes[TRAINED] = set_here if training else None
    owner.attributes[EVALUATED] = None if training else set_here


def _method_of_module(interp: Interpreter, owner: Unknown, name: str, call: Call) -> Value | None:
    """A method of what is known to be a module; None where it is to be called as any other."""
    if name in ITSELF:
        return owner
    if name == "state_dict":
        return state_of(interp, owner, call)
    if name == "load_state_dict":
        load_state(interp, owner, call)
    if name in _VALUES:
        return Unknown(interp.text(call.node), weight=DATA)
    if name == "requires_grad_" and call.get(0, "requires_grad", True) is True:
        _unfreeze(interp, owner, call)
        return owner
    if name == "zero_grad":
        zero_gradients(interp, _all_parameters(owner), call)
    return None


def _all_parameters(module: Unknown) -> list[Tensor]:
    found = [opaque_parameter(module), *parts_of(module)]
    return list({id(tensor): tensor for tensor in found}.values())


def _part(owner: Unknown) -> Unknown:
    """One of the modules below a module that is not known."""
    part = Unknown(f"a part of {owner.origin}", weight=2)
    part.attributes[PART] = owner
    return part
