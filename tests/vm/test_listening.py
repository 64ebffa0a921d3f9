"""Events of a run, and who hears of them."""

import ast
from dataclasses import dataclass, field

from autograd_lint.facts import relevance
from autograd_lint.libraries.models import MODELS
from autograd_lint.operators.table import load
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from autograd_lint.vm.budget import Budget
from autograd_lint.vm.choices import Choices
from autograd_lint.vm.events import LoopContinued, ValueAssigned
from autograd_lint.vm.language import PYTHON
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.paths import Path
from autograd_lint.vm.world import World


@dataclass
class First(Listener):
    """Keeps the values that it heard of."""

    heard: list[object] = field(default_factory=list)

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ValueAssigned, cls.assigned)

    def assigned(self, interp: Interpreter, event: ValueAssigned) -> None:
        self.heard.append(event.value)


class Second(First):
    """Hears after the first one, and keeps how much that had heard by then."""

    def assigned(self, interp: Interpreter, event: ValueAssigned) -> None:
        self.heard.append(len(interp.state(First).heard))


def run(*listeners: type[First]) -> Interpreter:
    """A run to which some classes listen."""
    source = Source("a.py", "")
    world = World(source, Project([]), load(), PYTHON, MODELS, relevance)
    interp = Interpreter(world, Choices(Path()), Budget(100), listeners=Listeners())
    for listener in listeners:
        listener.listen(interp.listeners)
    return interp


def test_a_listener_hears_of_the_events_that_it_asked_for() -> None:
    interp = run(First)
    interp.emit(ValueAssigned(1))
    assert interp.state(First).heard == [1]


def test_a_listener_does_not_hear_of_other_events() -> None:
    interp = run(First)
    interp.emit(LoopContinued(ast.Continue()))
    assert interp.state(First).heard == []


def test_listeners_hear_in_the_order_in_which_they_were_added() -> None:
    interp = run(First, Second)
    interp.emit(ValueAssigned(1))
    assert interp.state(Second).heard == [1]


class OfSomeNames(First):
    """Hears of the events of one name alone."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, ValueAssigned, cls.assigned, only="add".__eq__)


class Waiting(First):
    """Hears of values from the first continued loop on."""

    @classmethod
    def listen(cls, to: Listeners) -> None:
        to.add(cls, LoopContinued, cls.continued)
        to.add(cls, ValueAssigned, cls.assigned, waits=True)

    def continued(self, interp: Interpreter, event: LoopContinued) -> None:
        self.heard.append("continued")


def test_a_listener_hears_of_the_names_alone_that_it_asked_for() -> None:
    interp = run(OfSomeNames)
    for name in ("add", "mul"):
        interp.emit(ValueAssigned(name), name)
    assert interp.state(OfSomeNames).heard == ["add"]


def test_a_listener_that_waits_hears_once_another_event_has_concerned_it() -> None:
    interp = run(Waiting)
    for event in (ValueAssigned(1), LoopContinued(ast.Continue()), ValueAssigned(2)):
        interp.emit(event)
    assert interp.state(Waiting).heard == ["continued", 2]


def test_each_run_has_listeners_of_its_own() -> None:
    first, second = run(First), run(First)
    first.emit(ValueAssigned(1))
    assert second.state(First).heard == []


def test_a_state_is_the_same_for_the_whole_run() -> None:
    interp = run()
    assert interp.state(First) is interp.state(First)


def test_nobody_hears_of_a_trial() -> None:
    interp = run(First)
    with interp.unheard():
        interp.emit(ValueAssigned(1))
    assert interp.state(First).heard == []


def test_what_a_trial_remembers_is_forgotten() -> None:
    interp = run(First)
    with interp.unheard():
        interp.state(First).heard.append(1)
    assert interp.state(First).heard == []


def test_listeners_hear_again_after_a_trial() -> None:
    interp = run(First)
    with interp.unheard():
        pass
    interp.emit(ValueAssigned(1))
    assert interp.state(First).heard == [1]
