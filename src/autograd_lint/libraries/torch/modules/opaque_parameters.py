"""The parameters of modules of unknown classes, which one tensor stands for, and what else is noted
of such modules."""

from __future__ import annotations

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.tensor import Tensor
from autograd_lint.vm.values import UNIQUE, Unknown, Value

KEY = "opaque parameter"
MADE = "made as a module"
GIVEN = "given as a module"
OWN = "a parameter of a module that holds no other ones of the program"
NAME = "name of a parameter"
ITEM = "item of what is in a module"
COPIES = "copies of it"
EVALUATED = "put into evaluation mode"
TRAINED = "put into training mode"
_ANY = "any other parameter of a module that is not known"


def opaque_parameter(module: Unknown) -> Tensor:
    """The tensor that stands for all parameters of a module that is not known."""
    if module.root is not module:
        module.attributes[KEY] = opaque_parameter(module.root)
        module.hint = "module"
    found = module.attributes.get(KEY)
    if found is None:
        name = f"{module.origin}.parameters()"
        found = module.attributes[KEY] = Tensor(
            requires=requiring(module), dtype="float", name=name, parameter=True
        )
        module.hint = "module"
    assert isinstance(found, Tensor)
    return found


def name_in(module: Unknown, position: int = 0) -> Value:
    """The name of a parameter in a module that is not known: not known either, but always that."""
    name = Unknown("a name", "string", attributes={UNIQUE: True})
    return module.root.attributes.setdefault((NAME, position), name)


def requiring(module: Unknown) -> frozenset[Assumption]:
    """What must hold for parameters of a module that is not known to require grad."""
    given = not is_made(module)
    return frozenset({Assumption(Kind.HAS_REQUIRING_PARAMETERS, module.origin, given=given)})


def stands_for_several(parameter: Tensor) -> bool:
    """Whether a tensor stands for all parameters of a module that is not known."""
    because = parameter.requires or frozenset()
    return any(one.kind is Kind.HAS_REQUIRING_PARAMETERS for one in because)


def is_made(module: Unknown) -> bool:
    """Whether the code makes what may be a module itself, and is not given it."""
    return MADE in module.attributes or module.origin.endswith(")")


def module_of(unknown: Unknown | None) -> Unknown | None:
    """The module that something unknown is, or is part of; None where it is neither."""
    while unknown is not None and not is_module_by_use(unknown.root):
        unknown = unknown.parent
    return unknown


def is_module_by_use(unknown: Unknown) -> bool:
    """Whether something that is not known is a module by what is done with it, or said of it."""
    return bool(unknown.attributes.keys() & {KEY, MADE, GIVEN})


def other_parameter(closed: bool) -> Unknown:
    """Any other parameter of a module that is not known as a whole; none of the program's other
    modules where that is `closed`."""
    other = Unknown("a parameter", "module", attributes={_ANY: True})
    if closed:
        other.attributes[OWN] = True
    return other


def is_any_parameter(value: Value) -> bool:
    """Whether something stands for the other parameters of a module that is not known."""
    return isinstance(value, Unknown) and _ANY in value.attributes
