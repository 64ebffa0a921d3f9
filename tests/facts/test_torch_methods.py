"""The methods of torch by name are those that the libraries carry out."""

from __future__ import annotations

from autograd_lint.facts.torch_methods import OF_MODULES, OF_OPTIMIZERS
from autograd_lint.libraries.torch.modules import methods as module_methods
from autograd_lint.libraries.torch.training import optimizers


def test_methods_of_modules_are_those_that_are_carried_out() -> None:
    assert module_methods.METHODS.keys() == OF_MODULES


def test_methods_of_optimizers_are_those_that_are_carried_out() -> None:
    assert optimizers.METHODS.keys() == OF_OPTIMIZERS
