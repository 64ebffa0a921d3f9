"""Losses that would have a graph only if data had one."""

import pytest

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import HEAD, faults, kinds

USES = "import torch.nn.functional as F\n"
STEP = (
    USES
    + """
def train(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for batch in batches:
        {forward}
        loss = ({loss}).mean()
        optimizer.zero_grad()
        loss.backward()
        {step}
"""
)
CUT = "out = F.relu(model(batch['x'])).detach()"
OFF = "with torch.no_grad():\n            out = model(batch['x'])"
PRODUCT = "F.log_softmax(out, 1) * batch['y']"


def program(forward: str, loss: str = PRODUCT, step: str = "optimizer.step()") -> str:
    return STEP.format(forward=forward, loss=loss, step=step)


def raised(text: str) -> Fault:
    """The error that the one thing told of a program leads to: a cut behind which lies all that is
    to be trained."""
    (fault,) = faults(text)
    assert fault.kind is Pitfall.GRADIENT_CUT
    (error,) = fault.also
    assert error.kind is FaultKind.NO_GRAD_ROOT
    return error


def test_a_loss_of_a_network_without_its_graph_and_of_data_has_none() -> None:
    text = program(CUT)
    fault = raised(text)
    assert fault.built is not None and fault.built.place is not None
    assert (HEAD + text).splitlines()[fault.built.place.row - 1].strip() == CUT
    assert Kind.IS_DATA in {why.kind for why in fault.assumptions}


def test_a_network_that_is_not_recorded_is_told_with_the_loss_that_has_no_graph_for_it() -> None:
    assert Kind.IS_DATA in {why.kind for why in raised(program(OFF)).assumptions}


BATCHES = """
def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for {target} in {loop}:
        {moved}
        loss = F.mse_loss(model(x).detach(), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    ("target", "loop"), [("x, y", "loader"), ("i, (x, y)", "enumerate(loader, 1)")]
)
@pytest.mark.parametrize("moved", ["pass", "y = y.cuda()", "y = y.to('cuda').float()"])
def test_data_that_are_numbered_or_moved_to_a_device_are_data(
    target: str, loop: str, moved: str
) -> None:
    fault = raised(USES + BATCHES.format(target=target, loop=loop, moved=moved))
    (data,) = [why.about for why in fault.assumptions if why.kind is Kind.IS_DATA]
    assert data == "part 1 of an element of loader"


@pytest.mark.parametrize(
    "moved",
    [
        "{k: v.to('cuda') for k, v in batch.items()}",
        "{k: v.cuda() for k, v in batch.items()}",
    ],
)
def test_entries_of_a_batch_that_is_moved_as_a_whole_are_data(moved: str) -> None:
    fault = raised(program(f"batch = {moved}\n        {CUT}"))
    assert Kind.IS_DATA in {why.kind for why in fault.assumptions}


@pytest.mark.parametrize(
    "text",
    [
        program("out = model(batch['x'])"),  # its graph is there
        program(CUT, "model(batch['x']) * out * batch['y']"),  # by another way
        program(CUT, step="pass"),  # nobody waits for gradients
        program("weight = batch['y'].requires_grad_()\n        " + CUT, "out * weight"),
        program(CUT, "out * batch['f'](batch['y'])"),  # a function may have parameters
        program(CUT, step="model(batch['x']).mean().backward()\n        optimizer.step()"),
    ],
)
def test_a_loss_that_has_a_graph(text: str) -> None:
    assert FaultKind.NO_GRAD_ROOT.value not in kinds(text)


def test_what_another_network_has_lost_is_a_target() -> None:
    text = program(CUT).replace("(model, batches)", "(model, teacher, batches)")
    assert kinds(text.replace("F.relu(model(", "F.relu(teacher(")) == []


def test_an_argument_of_a_step_is_data_too() -> None:
    text = (
        USES
        + """
class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr)

    @torch.no_grad()
    def predict(self, x):
        return self.model(x)

    def step(self, x, y):
        loss = F.mse_loss(self.predict(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
"""
    )
    assert kinds(text) == ["no-grad-root"]


SECOND = """
def product(net, x, v):
    first = torch.autograd.grad(net(x).square().sum(), net.parameters(){graph})
    flat = torch.cat([one.flatten() for one in first])
    return torch.autograd.grad((flat * v).sum(), {wanted})
"""


def test_a_gradient_without_a_graph_is_not_differentiated_because_a_vector_is_given() -> None:
    (fault,) = faults(SECOND.format(graph="", wanted="net.parameters()"))
    assert fault.kind.value == "no-grad-root"
    assert all(why.proven for why in fault.assumptions if why.kind is Kind.IS_DATA)
    assert not faults(SECOND.format(graph=", create_graph=True", wanted="net.parameters()"))


def test_the_gradient_of_a_product_by_the_vector_needs_no_second_order() -> None:
    assert not faults(SECOND.format(graph="", wanted="v"))


ADVERSARY = """
made, judge = nn.Linear(2, 3), nn.Linear(3, 1)
of_made, of_judge = (torch.optim.SGD(one.parameters(), 0.1) for one in (made, judge))
for real in library.data():
    fake = made(torch.randn(4, 2))
    of_judge.zero_grad()
    (judge(fake.detach()).mean() - judge(real).mean()).backward()
    of_judge.step()
    judge.requires_grad_(False)
    of_made.zero_grad()
    judge(fake).mean().backward()
    of_made.step()
    {then}
"""


def test_what_an_earlier_iteration_has_frozen_leaves_a_loss_of_data_without_a_graph() -> None:
    (fault,) = faults(ADVERSARY.format(then="pass"))
    assert fault.kind.value == "no-grad-root"
    assert [one.said for one in fault.noted] == ["frozen here"]
    assert not faults(ADVERSARY.format(then="judge.requires_grad_(True)"))
