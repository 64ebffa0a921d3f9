"""Embeddings of pretrained vectors that are frozen, and given to an optimizer by their name."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.engine.events import Needed
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.engine.tensor import Tensor
from autograd_lint.facts.body import path_of
from autograd_lint.libraries.torch.events import EmbeddingLoaded, OptimizerMade, StepBegun
from autograd_lint.libraries.torch.training.optimizers import optimized
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter

MEMBERS = {"parameters", "named_parameters", "weight"}


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """A frozen weight that an optimizer was given by the name of its embedding."""

    weight: Tensor
    loaded_at: Place
    needed: Needed


@dataclass(slots=True, eq=False, repr=False)
class FrozenEmbeddings(Checker):
    """The frozen embeddings of a run with the names that they got, and who was given them."""

    loaded: list[tuple[Tensor, Place, frozenset[str]]] = field(default_factory=list)
    given: dict[int, list[Given]] = field(default_factory=dict)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, EmbeddingLoaded, cls.embedding_loaded)
        to.add(cls, OptimizerMade, cls.optimizer_made)
        to.add(cls, StepBegun, cls.step_begun)

    def embedding_loaded(self, interp: Interpreter, event: EmbeddingLoaded) -> None:
        """An embedding was made of vectors: under which name?"""
        names = _names_of(interp.source, event.node) if event.is_frozen else frozenset()
        if names:
            self.loaded.append((event.weight, interp.place(event.node), names))

    def optimizer_made(self, interp: Interpreter, event: OptimizerMade) -> None:
        """An optimizer was made: does its call speak of the embedding?"""
        spoken = _spoken_of(event.optimizer.made_at) if self.loaded else frozenset()
        own = {id(tensor) for tensor in optimized(event.optimizer)} if spoken else set()
        for weight, place, names in self.loaded:
            if id(weight) in own and names & spoken:
                one = Given(weight, place, Needed(event.place, event.name))
                self.given.setdefault(id(event.optimizer), []).append(one)

    def step_begun(self, interp: Interpreter, event: StepBegun) -> None:
        """An optimizer steps: is the embedding still frozen?"""
        for one in self.given.get(id(event.optimizer), ()):
            if one.weight.requires_grad is None:
                note(interp, Pitfall.EMBEDDING_FROZEN, one.loaded_at, needed=one.needed)


def _names_of(source: Source, call: ast.AST) -> frozenset[str]:
    """The last names that the result of a call is bound to."""
    return frozenset(
        path_of(target).rpartition(".")[2]
        for one in source.each(ast.Assign)
        if one.value is call
        for target in one.targets
    ) - {""}


def _spoken_of(call: ast.AST | None) -> frozenset[str]:
    """The last names of that whose parameters a call mentions."""
    parts = ast.walk(call) if call is not None else ()
    members = (one for one in parts if isinstance(one, ast.Attribute) and one.attr in MEMBERS)
    return frozenset(path_of(one.value).rpartition(".")[2] for one in members)
