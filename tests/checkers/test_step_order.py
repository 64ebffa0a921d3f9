"""Steps, backwards and what clears gradients, in programs whose data and models are not known."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.checkers.noting import noted, rows
from tests.fakes import write_tree

LOOP = """
    for x, y in library.loader():
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        {first}
        {second}
    """
BACKWARD, STEP = "loss.backward()", "optimizer.step()"


@pytest.mark.parametrize("head", ["device = 'cpu'\n", "device = 'cpu'\nmodel = library.build()\n"])
def test_data_of_unknown_origin_hides_no_step_that_comes_too_early(head: str) -> None:
    start = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\nimport library\n"
    made = "model = nn.Linear(2, 2)\n" + head
    made += "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    early = noted(LOOP.format(first=STEP, second=BACKWARD), start + made)
    right = noted(LOOP.format(first=BACKWARD, second=STEP), start + made)
    assert Pitfall.STEP_BEFORE_BACKWARD in early - right


FUNCTION = """
    def train(model, optimizer, loader):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), y)
            {first}
            {second}
    """


def test_a_model_and_an_optimizer_that_are_given_belong_together() -> None:
    early = noted(FUNCTION.format(first=STEP, second=BACKWARD))
    right = noted(FUNCTION.format(first=BACKWARD, second=STEP))
    assert Pitfall.STEP_BEFORE_BACKWARD in early - right


METHODS = """
    class Trainer:
        def __init__(self, model):
            self.model = model
            self.optimizer = torch.optim.Adam(model.parameters())

        def update(self):
            self.optimizer.step()
            self.optimizer.zero_grad()

        def compute(self, x):
            loss = self.model(x).sum()
            loss.backward()
            return loss.item()
    """


def test_in_which_order_methods_are_called_only_callers_know() -> None:
    assert Pitfall.STEP_BEFORE_BACKWARD not in noted(METHODS)


EPOCHS = """
    def step(x, y):
        {clear}
        F.mse_loss(model(x), y).backward()
        optimizer.step()

    for epoch in range({count}):
        step(*loader[0])
    """


@pytest.mark.parametrize("count", ["100", "library.epochs()"])
def test_a_loop_whose_function_trains_goes_on(count: str) -> None:
    kept = noted(EPOCHS.format(clear="pass", count=count))
    cleared = noted(EPOCHS.format(clear="optimizer.zero_grad()", count=count))
    assert Pitfall.MISSING_ZERO_GRAD in kept - cleared


UNCALLED = """
    def train(optimizer, loss):
        {clear}
        optimizer.step
    """


def test_what_clears_gradients_has_a_step_to_call() -> None:
    assert Pitfall.NOT_CALLED in noted(UNCALLED.format(clear="optimizer.zero_grad()"))
    assert Pitfall.NOT_CALLED not in noted(UNCALLED.format(clear="optimizer.start()"))


SHARED = """
    local = copy.deepcopy(model)
    for x, y in loader:
        local.zero_grad()
        F.mse_loss(local(x), y).backward()
        for own, other in zip(model.parameters(), local.parameters()):
            own.{name} = other.grad
        optimizer.step()
    """


@pytest.mark.parametrize(("name", "found"), [("grad", False), ("_grad", False), ("slope", True)])
def test_gradients_of_a_copy_are_handed_over(name: str, found: bool) -> None:
    assert (Pitfall.NO_GRADIENTS in noted(SHARED.format(name=name))) is found


ADAPTED = """
    meta = nn.Linear(4, 1)
    steps = torch.optim.SGD(meta.parameters(), lr=0.1)
    for x, y in loader:
        adapted = {adapted}
        steps.zero_grad()
        F.mse_loss(adapted(x), y).backward()
        steps.step()
    """


@pytest.mark.parametrize(
    ("adapted", "found"), [("nn.Linear(4, 1)", [3]), ("meta", []), ("nn.Sequential(meta)", [])]
)
def test_an_optimizer_steps_while_other_parameters_are_trained(
    adapted: str, found: list[int]
) -> None:
    assert rows(ADAPTED.format(adapted=adapted), Pitfall.NO_GRADIENTS) == found


TWICE = """
    other = nn.Linear(4, 1)
    again = torch.optim.SGD({given}.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        again.zero_grad()
        F.mse_loss(other(x), y).backward()
        again.step()
    """


def test_an_optimizer_has_the_parameters_of_another_one() -> None:
    assert rows(TWICE.format(given="model"), Pitfall.NO_GRADIENTS) == [3]
    assert noted(TWICE.format(given="other")) == set()


RETAINED = """
    head = nn.Linear(4, 1)
    steps = torch.optim.SGD(head.parameters(), lr=0.1)
    {loop}
    loss = head(loader[0][0]).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    """


def test_a_backward_that_is_shown_twice_is_no_training() -> None:
    assert noted(RETAINED.format(loop="")) == set()


GLOBAL = """
    own = nn.Linear(2, 1)
    steps = torch.optim.SGD(own.parameters(), lr=0.1)

    def run(batches):
        for x in batches:
            {clear}
            own(x).sum().backward()
            steps.step()
    """


def test_an_optimizer_of_the_module_steps_in_a_function_that_nobody_calls() -> None:
    assert Pitfall.MISSING_ZERO_GRAD in noted(GLOBAL.format(clear="pass"))
    assert noted(GLOBAL.format(clear="steps.zero_grad()")) == set()


PIPELINE = """
import copy
import torch
from running import run_step

whole = torch.nn.Linear(2, 1)
part = copy.deepcopy(whole)
trained = torch.optim.SGD(whole.parameters(), lr=0.1)
other = torch.optim.SGD(part.parameters(), lr=0.1)
x = torch.ones(3, 2)
whole(x).mean().backward()
run_step(part, x)
trained.step()
other.step()
"""
RUNNING = """
def run_step(model, x):
    output = model(x)
    {check}
    output.mean().{done}
"""


@pytest.mark.parametrize(
    ("check", "done", "found"),
    [("pass", "item()", True), ("raise ValueError(x)", "backward()", False)],
)
def test_a_call_that_was_not_followed_to_its_end_may_have_run_backward(
    tmp_path: Path, check: str, done: str, found: bool
) -> None:
    write_tree(tmp_path, {"running.py": RUNNING.format(check=check, done=done)})
    faults = analyse(Source(str(tmp_path / "main.py"), PIPELINE), Project([tmp_path]))
    assert (Pitfall.NO_GRADIENTS in {fault.kind for fault in faults}) is found


GUARDED = """
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
    for x, y in library.loader():
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        if {finite}:
            loss.backward()
            optimizer.step()
        schedule.step()
    """


@pytest.mark.parametrize(
    ("finite", "found"),
    [("~(loss.isnan() | loss.isinf())", False), ("not loss > 9", False), ("library.due()", True)],
)
def test_a_batch_whose_values_are_passed_over_is_no_order_of_steps(
    finite: str, found: bool
) -> None:
    program = GUARDED.format(finite=finite)
    assert (Pitfall.SCHEDULER_FIRST in noted("    import library" + program)) is found


OWN = """
    class Plain(torch.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, dict(lr=lr))

        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    p.data.add_(p.grad, alpha=-group["lr"])

    own = Plain(model.parameters(), 0.1)
    schedule = torch.optim.lr_scheduler.StepLR(own, 2)
    for x, y in loader:
        own.zero_grad()
        F.mse_loss(model(x), y).backward()
        {first}.step()
        {second}.step()
    """


def test_an_optimizer_of_the_program_steps_as_well() -> None:
    assert noted(OWN.format(first="own", second="schedule")) == set()
    early = noted(OWN.format(first="schedule", second="own"))
    assert early == {Pitfall.SCHEDULER_FIRST}


COUNTED = """
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    for i in range({first}, 1000):
        if i % 500 == 0:
            scheduler.step()
        optimizer.zero_grad()
        model(torch.ones(2, 3)).sum().backward()
        optimizer.step()
    """


def test_a_scheduler_that_steps_every_so_many_iterations_waits_for_the_first_of_them() -> None:
    assert noted(COUNTED.format(first=0)) == {Pitfall.SCHEDULER_FIRST}
    assert noted(COUNTED.format(first=1)) == set()


TWO_CRITICS = """
value, critic = nn.Linear(3, 1), nn.Linear(3, 1)
value_opt = torch.optim.Adam(value.parameters())
critic_opt = torch.optim.Adam(critic.parameters())
for _ in range(10):
    s, y = torch.randn(4, 3), torch.randn(4, 1)
    value_opt.zero_grad()
    (value(s) - y).pow(2).mean().backward()
    value_opt.step()
    critic_opt.zero_grad()
    (critic(s) - y).pow(2).mean().backward()
    critic_opt.{meant}()
"""


def test_an_optimizer_that_clears_where_it_is_to_step() -> None:
    assert noted(TWO_CRITICS.format(meant="zero_grad")) == {Pitfall.ZERO_GRAD_BEFORE_STEP}
    assert noted(TWO_CRITICS.format(meant="step")) == set()


def test_a_step_that_is_not_called_is_taken_to_be_called() -> None:
    text = TWO_CRITICS.format(meant="step").replace("value_opt.step()", "value_opt.step")
    assert noted(text) == {Pitfall.NOT_CALLED}
    text = TWO_CRITICS.format(meant="step").replace(
        "critic_opt.zero_grad()", "critic_opt.zero_grad"
    )
    assert noted(text) == {Pitfall.NOT_CALLED}


RETURNS_EARLY = """
class Agent:
    def __init__(self):
        self.policy = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=1e-3)
        self.memory = []

    def learn(self, batch_size=32):
        if len(self.memory) < batch_size:
            return
        states, actions = self.memory[0]
        q = self.policy(states).gather(1, actions.unsqueeze(1)).squeeze(1)
        loss = q.mean()
        self.optimizer.zero_grad{called}
        loss.backward()
        self.optimizer.step()
"""


def test_a_call_without_parentheses_behind_an_early_return() -> None:
    assert Pitfall.NOT_CALLED in noted(RETURNS_EARLY.format(called=""))
    assert Pitfall.NOT_CALLED not in noted(RETURNS_EARLY.format(called="()"))


NEVER_STEPPED = """
critic = nn.Linear(4, 1)
second = torch.optim.Adam(critic.parameters())
for x, y in loader:
    loss = F.mse_loss(model(x), critic(x))
    other = F.mse_loss(critic(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    second.zero_grad()
    other.backward()
    second.zero_grad()
"""


def test_of_two_clearings_the_one_in_the_place_of_a_step_is_told() -> None:
    assert rows(NEVER_STEPPED, Pitfall.ZERO_GRAD_BEFORE_STEP) == [12]


POLICY = """
from elsewhere import Policy
actor, critic = Policy(), nn.Linear(4, 1)
actor_optimizer = torch.optim.Adam(actor.parameters())
critic_optimizer = torch.optim.Adam(critic.parameters())
for x, _ in loader:
    action = {action}
    actor_optimizer.zero_grad()
    (-critic(action).mean()).backward()
    actor_optimizer.step()
    critic_optimizer.zero_grad()
    critic(x).pow(2).mean().backward()
    critic_optimizer.step()
"""


def test_a_loss_of_what_unknown_code_has_drawn_may_train_that_code() -> None:
    assert noted(POLICY.format(action="actor.sample(x)")) == set()
    assert Pitfall.ZERO_GRAD_BEFORE_STEP in noted(POLICY.format(action="torch.randn(3, 4)"))


SIZED = """
    class Net(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.size = size

    size = {size}
    one, other = Net(size), Net(size)
    optimizer = torch.optim.SGD(one.parameters(), lr=0.1)
    for p in other.parameters():
        p.requires_grad = False
    for x, y in loader:
        optimizer.step()
        optimizer.step()
    """


@pytest.mark.parametrize(("size", "found"), [("int(options.size)", []), ("options.model()", [9])])
def test_a_number_that_is_kept_has_no_parameters_to_freeze(size: str, found: list[int]) -> None:
    assert rows(SIZED.format(size=size), Pitfall.NO_GRADIENTS) == found


SEVERAL = """
    parts = {{name: nn.Linear(2, 2) for name in ("a", "b")}}
    steps = {{name: torch.optim.SGD(part.parameters(), lr=0.1) for name, part in parts.items()}}
    rates = [torch.optim.lr_scheduler.StepLR(step, 3) for step in steps.values()]
    for epoch in range(9):
        {early}
        for x, y in loader:
            F.mse_loss(parts["a"](x), y).backward()
            steps["a"].step()
            steps["a"].zero_grad()
        {late}
    """


def test_an_optimizer_that_never_steps_says_nothing_of_the_schedulers_of_others() -> None:
    early = SEVERAL.format(early="for rate in rates: rate.step()", late="pass")
    late = SEVERAL.format(early="pass", late="for rate in rates: rate.step()")
    assert rows(early, Pitfall.SCHEDULER_FIRST) == [6]
    assert rows(late, Pitfall.SCHEDULER_FIRST) == []
