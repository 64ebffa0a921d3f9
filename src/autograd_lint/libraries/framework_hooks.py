"""The methods that frameworks ask their users to write, and differentiate what these return."""

from __future__ import annotations

from autograd_lint.vm.values import Class

# Methods whose results frameworks differentiate, and the packages of their classes.
HOOKS: dict[str, tuple[str, ...]] = {
    "training_step": ("lightning.", "pytorch_lightning.", "transformers."),
    "compute_loss": ("transformers.",),
}


def is_hook(cls: Class, name: str) -> bool:
    """Whether the framework that a class comes from differentiates what a method returns."""
    packages = HOOKS.get(name, ())
    return any(path.startswith(packages) for path in cls.external_bases()) if packages else False
