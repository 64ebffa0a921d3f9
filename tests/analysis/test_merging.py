"""What a run finds on its way, where there was no time for other ways."""

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.analysis.merging import merge
from autograd_lint.analysis.outcomes import Outcome
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.wording import worded
from autograd_lint.places import Place
from autograd_lint.project.source import Source
from autograd_lint.vm.paths import Decision
from tests.vm.running import HEAD, faults

PHASES = """
class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.phase = config.phase
        self.embed = nn.Linear(4, 4)
        self.top = nn.Linear(4, 4)
    def forward(self, x):
        x = self.embed(x)
        if self.phase == "late":
            x = x.data
        for i in range({rounds}):
            x = x + i
        return self.top(x)
"""


def test_what_one_phase_cuts_another_may_train() -> None:
    assert [fault.weight for fault in faults(PHASES.format(rounds=1))] == []
    assert [fault.weight for fault in faults(PHASES.format(rounds=600))] == []


DEFAULT = """
class Trial:
    def __init__(self, model, optimizer, criterion=None, callbacks=[]):
        {condition}
        {made}
        self.criterion, self.model, self.optimizer = criterion, model, optimizer
        self.callbacks = callbacks
    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = self.criterion(self.model(x), y)
        for callback in self.callbacks:
            {callback}
        loss.backward()
        self.optimizer.step()
"""


def roots(
    condition: str = "if criterion is None:",
    made: str = "    criterion = lambda result, wanted: torch.zeros(1)",
    callback: str = "callback(loss)",
) -> list[list[str]]:
    text = DEFAULT.format(condition=condition, made=made, callback=callback)
    found = [fault for fault in faults(text) if fault.kind is FaultKind.NO_GRAD_ROOT]
    return [sorted(worded(assumption) for assumption in fault.assumptions) for fault in found]


def test_a_root_that_was_made_in_a_branch_rests_on_its_condition() -> None:
    [because] = roots()
    assert "`criterion is None` holds in line 6" in because
    assert "`self.callbacks` is empty" in because
    assert roots(made="    criterion = lambda a, b: torch.zeros(1, requires_grad=True)") == []


def test_what_an_empty_loop_might_have_bound_is_hardly_missing() -> None:
    assert roots(callback="loss = callback(loss)") == []
    assert roots(callback="self.parts.append(callback)") == []
    assert len(roots(callback="callback.on_loss(loss)")) == 1


def test_an_empty_loop_before_the_root_was_made_has_nothing_to_do_with_it() -> None:
    condition = "for one in callbacks: self.last = one\n        if criterion is None:"
    assert len(roots(condition)) == 1


PARTS = """
class Parts:
    def __init__(self, parts=[]):
        self.parts = parts
    def step(self, model):
        total = {total}
        for part in self.parts:
            part(model)
        return torch.autograd.grad(total, model.parameters())
model = nn.Linear(2, 2)
Parts().step(model)
"""


def test_what_was_computed_may_have_had_its_parts_from_an_empty_loop() -> None:
    assert faults(PARTS.format(total="torch.zeros(2).sum() + torch.ones(2).sum()")) == []
    [fault] = faults(PARTS.format(total="torch.zeros(())"))
    assert fault.kind is FaultKind.NO_GRAD_ROOT


UNTRIED = """
class Cloud:
    def __init__(self, parts):
        self.parts = parts
    def padded(self):
        if self.parts.empty():
            return torch.zeros(3)
        return self.parts.joined()
def check(parts):
    total = Cloud(parts).padded()
    for i in range({rounds}):
        total = total + i
    total.sum().backward()
check(load())
"""


def test_what_is_missing_on_the_one_way_tried_may_be_there_on_another() -> None:
    assert faults(UNTRIED.format(rounds=3)) == []
    assert faults(UNTRIED.format(rounds=5000)) == []


CUT = """
import argparse
options = argparse.ArgumentParser().parse_args()

def train(model, head, optimizer, loader):
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(head({given}), y).backward()
        optimizer.step()

def main():
    model, head = nn.Linear(2, 2), nn.Linear(2, 1)
    both = [*model.parameters(), *head.parameters()]
    optimizer = torch.optim.SGD(both, lr=0.1)
    data = torch.ones(4, 2)
    if options.evaluate:
        return print(model(data))
    train(model, head, optimizer, [(data, torch.ones(4, 1))])

main()
"""


def test_a_path_without_training_does_not_show_that_a_gradient_gets_there() -> None:
    cut = "model(x).detach()"
    [(fault, weight)] = [(one, one.weight) for one in faults(CUT.format(given=cut))]
    assert (fault.kind, weight) == (Pitfall.GRADIENT_CUT, 0)
    assert faults(CUT.format(given=f"({cut} if y.sum() > 8 else model(x))")) == []


ENDED = """
def main(evaluate):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = torch.utils.data.DataLoader(load())
    if evaluate:
        return print(model(next(iter(loader))))
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x).detach(), y).backward()
        optimizer.step()

main(options())
"""


def test_a_path_that_ends_before_does_not_show_that_a_graph_gets_to_backward() -> None:
    (fault,) = faults(ENDED)
    (error,) = fault.also
    assert (fault.kind, fault.assumptions) == (Pitfall.GRADIENT_CUT, frozenset())
    assert error.kind is FaultKind.NO_GRAD_ROOT


PRODUCT = """
def product(model, x, v):
    {decided}
    (first,) = torch.autograd.grad(model(x).pow(2).sum(), model.weight{create})
    return torch.autograd.grad((first * v).sum(), model.weight)

def main(evaluate):
    model = nn.Linear(2, 1)
    x = torch.ones(1, 2)
    if evaluate:
        return print(model(x))
    print(product(model, x, torch.ones(1, 2)))

main(options())
"""


def test_a_root_rests_on_what_is_decided_in_the_function_that_makes_it() -> None:
    (fault,) = faults(PRODUCT.format(create="", decided="pass"))
    assert (fault.kind, fault.weight) == (FaultKind.NO_GRAD_ROOT, 0)
    assert faults(PRODUCT.format(create=", create_graph=options()", decided="pass")) == []
    assert faults(PRODUCT.format(create="", decided="x = x.exp() if options() else x")) == []


DROPPED = """
def train(loader):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        for p in model.parameters():
            {drop}
        optimizer.step()
"""


def test_gradients_that_only_some_path_drops_are_there_on_others() -> None:
    dropped = "if p.grad.sum() == 0:\n                p.grad = None"
    assert faults(DROPPED.format(drop=dropped)) == []
    assert len(faults(DROPPED.format(drop="p.grad = None"))) == 1


CHOSEN = """
from torch.utils.checkpoint import checkpoint

class Part(nn.Module):
    def __init__(self, first=False, last=False):
        super().__init__()
        self.first = first
        self.last = last
        self.layer = nn.Linear(4, 4)
    def forward(self, x):
        if self.first:
            x = checkpoint(self.layer, x)
        {steps}
        if self.last:
            x = checkpoint(self.layer, x)
        return self.layer(x)
"""


def test_what_only_another_way_leads_to_rests_on_the_conditions_of_that_way() -> None:
    found = analyse(Source("a.py", HEAD + CHOSEN.format(steps="x = x + 1; " * 600)))
    told = [[worded(why) for why in fault.assumptions] for fault in found]
    assert told == [["`self.first` holds in line 13"], ["`self.last` holds in line 16"]]


def test_a_run_that_ended_before_its_turn_shows_nothing() -> None:
    fault = Fault(FaultKind.LEAF_MODIFIED, Place("a.py", 1, 1, 1, 2))
    usual = Outcome([], [], (), False, set(), set(), set(), 1, False, False)
    sought = Outcome([fault], [], (True,), False, set(), set(), set(), 1, False, False, turned=(0,))
    assert merge([usual, sought]) == []


@pytest.mark.parametrize("walked", [False, True])
def test_what_another_run_differentiates_is_no_evaluation(walked: bool) -> None:
    place = Place("a.py", 3, 1, 3, 2)
    found = Fault(Pitfall.EVALUATION_BUILDS_GRAPHS, place)
    way = [Decision(Place("a.py", 1, 1, 1, 2), "left", True) for _ in range(2)]
    reached = {place} if walked else set[Place | None]()
    usual = Outcome([], way, (), False, reached, set(), set(), 1, False, False)
    sought = Outcome([found], way, (), False, {place}, set(), set(), 1, False, False, turned=(0,))
    assert [fault.place for fault in merge([usual, sought])] == ([] if walked else [place])


ROUNDS = """
def gathered(x, layers, count: int):
    found = []
    for i in range(count):
        part = layers[i](x).exp()
        {write}
        found.append(part)
    return torch.stack(found)
"""


@pytest.mark.parametrize(
    ("write", "again"),
    [("part += 1", False), ("found[-1].add_(part.detach()) if i else None", True)],
)
def test_what_one_round_does_wrong_needs_no_second(write: str, again: bool) -> None:
    (fault,) = faults(ROUNDS.format(write=write))
    assert (Kind.ITERATED_AGAIN in {why.kind for why in fault.assumptions}) == again


REFUSING = """
def scaled(x, limit):
    if limit < 0:
        {negative}
    y = x.exp()
    y *= 2
    return y
"""


@pytest.mark.parametrize(("negative", "assumed"), [("raise ValueError", False), ("return x", True)])
def test_what_a_program_refuses_is_no_other_way(negative: str, assumed: bool) -> None:
    (fault,) = faults(REFUSING.format(negative=negative))
    kinds = {why.kind for why in fault.assumptions}
    assert bool(kinds & {Kind.USUAL_PATHS, Kind.CONDITION}) == assumed


REFUSED = """
def make(name):
    if name not in MADE:
        raise KeyError(name)
    return MADE[name](4, 4)

MADE = {{"line": nn.Linear, "both": nn.Bilinear}}
model = make(open("name").read())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in range(3):
    loss = model(torch.ones(1, 4)).sum()
    {steps}
"""


@pytest.mark.parametrize(("order", "found"), [("bzs", [0]), ("zbs", [])])
def test_a_script_that_ends_in_an_exception_is_no_other_way(order: str, found: list[int]) -> None:
    steps = {"b": "loss.backward()", "z": "optimizer.zero_grad()", "s": "optimizer.step()"}
    text = REFUSED.format(steps="; ".join(steps[one] for one in order))
    assert [fault.weight for fault in faults(text)] == found


EARLY_RETURN = """
def optimize(memory, net, optimizer, size):
    if len(memory) < size:
        return
    x, y = memory.sample(size)
    loss = nn.functional.mse_loss(net(x), y).detach()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_a_root_without_a_graph_in_all_runs_that_come_to_backward_assumes_no_path() -> None:
    (fault,) = (one for one in faults(EARLY_RETURN) if one.kind is FaultKind.NO_GRAD_ROOT)
    assert not {Kind.USUAL_PATHS, Kind.CONDITION} & {why.kind for why in fault.assumptions}


OPTIONAL = """
from abc import ABC
from options import parse

class Base(ABC):
    def __init__(self, options):
        self.trains, self.shared = options.trains, options.shared

class Painter(Base):
    def __init__(self, options):
        super().__init__(options)
        self.net = nn.Linear(3, 1)
        if self.trains:
            self.judge = nn.Linear(1, 1)
            self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        {otherwise}
        if self.shared:
            self.net.share_memory()

    def step(self, x):
        self.optimizer.zero_grad()
        self.judge(self.net(x)).mean().backward()
        self.optimizer.zero_grad()
        self.optimizer.step()

painter = Painter(parse())
for x in torch.load("data.pt"):
    painter.step(x)
"""


def test_a_path_on_which_an_object_lacks_what_is_read_of_it_speaks_for_nothing() -> None:
    (fault,) = faults(OPTIONAL.format(otherwise=""))
    assert (fault.kind, fault.assumptions) == (Pitfall.ZERO_GRAD_BEFORE_STEP, frozenset())


@pytest.mark.parametrize(
    "otherwise",
    [
        "else: self.judge, self.optimizer = restored(options)",
        "else: setattr(self, options.name, restored(options))",
    ],
)
def test_what_is_set_on_the_other_path_speaks_as_before(otherwise: str) -> None:
    found = faults(OPTIONAL.format(otherwise=otherwise))
    assert all(fault.assumptions for fault in found)


ASKED = """
from options import parse

class Runner:
    def __init__(self, options):
        if options.keeps:
            self.kept = 1

    def run(self, weight):
        out = weight.exp()
        if {asked}:
            out.mul_(2)
        out.sum().backward()

    def has_kept(self):
        try:
            return self.kept is not None
        except AttributeError:
            return False

Runner(parse()).run(torch.ones(2, requires_grad=True))
"""


@pytest.mark.parametrize("asked", ["self.has_kept()", "hasattr(self, 'kept')"])
def test_an_object_may_lack_what_the_program_asks_for(asked: str) -> None:
    found = faults(ASKED.format(asked=asked))
    assert [fault.kind for fault in found] == [FaultKind.SAVED_TENSOR_MODIFIED]
    assert all(fault.assumptions for fault in found)
