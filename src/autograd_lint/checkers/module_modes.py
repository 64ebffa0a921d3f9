"""The mode that a module is in, of which the class is known or not."""

from __future__ import annotations

from autograd_lint.checkers.bindings import Bindings
from autograd_lint.engine.assumptions import Assumption, Kind, Prior
from autograd_lint.engine.tensor import CERTAINLY
from autograd_lint.libraries.torch.modules.modules import modules
from autograd_lint.libraries.torch.modules.opaque_parameters import EVALUATED, TRAINED
from autograd_lint.places import Place
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Instance, Mark, Unknown


def training(module: Instance | Unknown) -> bool | None:
    """Whether a module is in training mode; None where nothing tells."""
    if isinstance(module, Instance):
        mode = module.attributes.get("training")
        return mode if isinstance(mode, bool) else None
    if module.attributes.get(EVALUATED) is not None:
        return False
    return True if module.attributes.get(TRAINED) is not None else None


def mode_set_at(interp: Interpreter, module: Instance | Unknown) -> Place | None:
    """Where a module was put into its mode; None where that was not seen."""
    if isinstance(module, Instance):
        return interp.state(Bindings).place_of(module, "training")
    mark = module.attributes.get(EVALUATED) or module.attributes.get(TRAINED)
    return mark.place if isinstance(mark, Mark) else None


def keeps_its_mode(module: Instance | Unknown) -> bool:
    """Whether the program has replaced `train` of a module, or of a part of it: it is meant to stay
    in the mode that it is in.

    for layer in model.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.eval()
            layer.train = lambda mode=True: layer
    """
    if isinstance(module, Instance):
        return any("train" in part.attributes for part in modules(module))
    return module.put(("attribute", "train")) is not None


def depends_as_usual(module: Instance | Unknown) -> frozenset[Assumption]:
    """What must hold for a module of an unknown class to compute something else in evaluation
    mode."""
    if isinstance(module, Instance):
        return CERTAINLY
    return frozenset({Assumption(Kind.DEPENDS_ON_MODE, module.origin, weight=Prior.USUAL)})
