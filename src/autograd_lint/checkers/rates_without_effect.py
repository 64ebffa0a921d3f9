"""Learning rates that are set where no optimizer reads them.

optimizer.lr = 0.01                            # only an attribute
optimizer.defaults["lr"] = 0.01                # read when a group is added
optimizer.param_groups[0]["learning_rate"] = 0.01

or set in the first group alone of an optimizer that has several.

Source: https://docs.pytorch.org/docs/stable/optim.html (per-parameter options)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.noting import note
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.engine.pitfalls import FIRST_GROUP, WRONG_KEY, Pitfall
from autograd_lint.libraries.torch.events import SchedulerStepped
from autograd_lint.libraries.torch.training.optimizers import groups_of, is_optimizer
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source
from autograd_lint.vm.events import AttributeSet, ElementStored
from autograd_lint.vm.listening import Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.values import Class, Instance, Value

OPTIONS = frozenset({"lr", "learning_rate", "weight_decay", "momentum", "betas", "eps"})
MISTAKEN = frozenset({"learning_rate", "LR", "Lr", "learningrate", "rate", "wd"})


@dataclass(slots=True, eq=False, repr=False)
class RatesWithoutEffect(Checker):
    """Looks at what is set on an optimizer, on its defaults and its groups.

    `rated` are the groups that were given a rate, by their identities, `first` the statements that
    give one to the first group by its number, `scheduled` the optimizers that a scheduler changes.
    """

    rated: set[int] = field(default_factory=set)
    first: list[tuple[Instance, ast.Subscript]] = field(default_factory=list)
    scheduled: set[int] = field(default_factory=set)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, AttributeSet, cls.attribute_set)
        to.add(cls, ElementStored, cls.element_stored)
        to.add(cls, SchedulerStepped, cls.scheduler_stepped)

    def scheduler_stepped(self, _: Interpreter, event: SchedulerStepped) -> None:
        """A scheduler has changed the rates of its optimizer."""
        self.scheduled.add(id(event.optimizer))

    def attribute_set(self, interp: Interpreter, event: AttributeSet) -> None:
        """An attribute is about to be set; what the program reads again is meant for itself."""
        owner, target = event.owner, event.target
        if event.name not in OPTIONS or not is_optimizer(owner) or isinstance(owner.cls, Class):
            return
        if isinstance(target, ast.Attribute) and not is_read(interp.source, target):
            _note(interp, target)

    def element_stored(self, interp: Interpreter, event: ElementStored) -> None:
        """An element was set: of the defaults of an optimizer, or of one of its groups?"""
        if event.key not in OPTIONS | MISTAKEN:
            return
        owner, source = event.owner, interp.source
        optimizers = interp.state(TrainingRecord).optimizers.values()
        made = [one.optimizer for one in optimizers]
        default = any(_has_defaults(one, owner) for one in made)
        if default and not _adds_groups(source) and not _is_set_in_groups(interp, event.key):
            _note(interp, event.target)
        if event.key == "lr":
            self._note_rate(made, event)
        mistaken = event.key in MISTAKEN and not _is_key_read(source, event.key)
        if mistaken and any(_has_group(one, owner) for one in made):
            _note(interp, event.target, WRONG_KEY)

    def _note_rate(self, made: list[Instance], event: ElementStored) -> None:
        """A group may have been given a rate."""
        self.rated.add(id(event.owner))
        for one in made:
            if _is_first(event.target.value) and event.owner is next(iter(groups_of(one)), None):
                self.first.append((one, event.target))

    def end(self, interp: Interpreter) -> None:
        """The run is over: which rates has the first group alone got, of several?"""
        for optimizer, target in self.first:
            others = groups_of(optimizer)[1:]
            alone = others and not any(id(group) in self.rated for group in others)
            if alone and id(optimizer) not in self.scheduled:
                _note(interp, target, FIRST_GROUP)


def _is_first(group: ast.expr) -> bool:
    """Whether a group is taken by the number 0."""
    taken = group.slice if isinstance(group, ast.Subscript) else None
    return isinstance(taken, ast.Constant) and taken.value == 0


def _has_defaults(optimizer: Instance, value: Value) -> bool:
    return optimizer.attributes.get("defaults") is value


def _has_group(optimizer: Instance, value: Value) -> bool:
    return any(group is value for group in groups_of(optimizer))


def _adds_groups(source: Source) -> bool:
    """Whether a group may be added later, which takes what it lacks from the defaults."""
    return "add_param_group" in source.text


def _is_set_in_groups(interp: Interpreter, key: Value) -> bool:
    """Whether the function that runs sets the option where it is read as well."""
    function = interp.frame.function
    code = function.node if function is not None else interp.source.tree
    parts = (one for one in walk(code) if isinstance(one, ast.Subscript))
    stored = [one for one in parts if isinstance(one.ctx, ast.Store)]
    return any(_key(one) == key and not code_of(one.value).endswith("defaults") for one in stored)


def _key(part: ast.Subscript) -> Value:
    return part.slice.value if isinstance(part.slice, ast.Constant) else None


def _is_key_read(source: Source, key: Value) -> bool:
    """Whether a file reads such an entry of anything."""
    return any(
        isinstance(one.ctx, ast.Load)
        and isinstance(one.slice, ast.Constant)
        and one.slice.value == key
        for one in source.each(ast.Subscript)
    )


def _note(interp: Interpreter, target: ast.expr, detail: str = "") -> None:
    note(
        interp,
        Pitfall.RATE_WITHOUT_EFFECT,
        interp.place(target),
        tensor=ast.unparse(target),
        detail=detail,
    )


def is_read(source: Source, target: ast.Attribute) -> bool:
    """Whether a file reads such an attribute of what goes by the same name."""
    return any(
        isinstance(one.ctx, ast.Load) and one.attr == target.attr and _is_same(one, target)
        for one in source.each(ast.Attribute)
    )


def _is_same(one: ast.Attribute, other: ast.Attribute) -> bool:
    return _last(one.value) == _last(other.value)


def _last(owner: ast.expr) -> str:
    return code_of(owner).rpartition(".")[2]
