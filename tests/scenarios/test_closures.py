"""Training steps that are handed to code which is not known."""

from textwrap import dedent

from autograd_lint.evidence.wording import worded
from tests.vm.running import certain, faults, kinds

FACTORY = """
def create(model, optimizer, criterion):
    losses = []

    def step(engine, batch):
        {clear}
        loss = criterion(model(batch[0]), batch[1])
        loss.backward()
        optimizer.step()
        losses.append(loss{cut})
        return loss.item()

    {around}
    return library.Engine(step)
"""
CLEAR = "optimizer.zero_grad()"


def test_a_step_that_is_handed_out_is_called_again_and_again() -> None:
    text = FACTORY.format(clear=CLEAR, cut="", around="")
    (fault,) = faults(text)
    assert fault.kind.value == "graph-kept"
    assert any("repeatedly" in worded(assumption) for assumption in fault.assumptions)
    assert certain(text) == []
    assert kinds(FACTORY.format(clear=CLEAR, cut=".item()", around="")) == []


def test_gradients_of_a_step_that_nobody_clears() -> None:
    assert kinds(FACTORY.format(clear="", cut=".item()", around="")) == ["missing-zero-grad"]


def test_gradients_may_be_cleared_around_a_step() -> None:
    around = "library.before_each(lambda: optimizer.zero_grad())"
    assert kinds(FACTORY.format(clear="", cut=".item()", around=around)) == []


CALLED = """
def train(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def step(batch):
        loss = nn.functional.mse_loss(model(batch), batch)
        loss.backward()
        return loss

    for batch in batches:
        optimizer.zero_grad()
        step(batch)
        optimizer.step()
"""


def test_a_step_that_is_called_needs_no_harness() -> None:
    assert kinds(CALLED) == []


HANDED_OUT = """
def scale_by_root(mapped):
    def update(updates):
        def scaled(g, v):
            return g / v.sqrt(){root}

        return mapped(scaled, updates)

    return library.Transformation(update)
"""


def test_what_writes_and_is_handed_out_is_called() -> None:
    (fault,) = faults(HANDED_OUT.format(root=".add_(1)"))
    assert fault.kind.value == "saved-tensor-modified"
    assert kinds(HANDED_OUT.format(root=".add(1)")) == []


def test_what_is_defined_without_grad_mode_is_called_without_it() -> None:
    text = """
        @torch.no_grad()
        def step(groups):
            def scaled(g, v):
                return g / v.sqrt().add_(1)

            library.for_each(groups, scaled)
    """
    assert kinds(dedent(text)) == []


DECORATED = """
weight = torch.ones(2, requires_grad=True)

def explore(env):
    {decorator}
    def act(x):
        weight.add_(x)
        return weight

    return library.collect(env, act)
"""


def test_what_is_handed_out_is_called_with_its_decorators() -> None:
    assert kinds(DECORATED.format(decorator="")) == ["leaf-modified"]
    assert kinds(DECORATED.format(decorator="@torch.no_grad()")) == []
