"""Steps that use the gradients of two losses, one of which belongs to something else."""

import pytest

from tests.vm.running import HEAD, faults, kinds

TWO = """
generator, critic = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
of_generator = torch.optim.SGD(generator.parameters(), lr=0.1)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
for _ in range(3):
    fake = generator(torch.randn(8, 2))
    of_critic.zero_grad()
    critic({given}).mean().backward()
    of_generator.zero_grad()
    {second}.mean().backward()
    of_critic.step()
    of_generator.step()
"""

ATTACK = """
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    delta = torch.zeros(8, 4, requires_grad=True)
    optimizer.zero_grad()
    model(delta).mean().backward()
    {reading}
    {clearing}
    model(delta.detach() + 1).mean().backward()
    optimizer.step()
"""


def attack(reading: str = "delta.data += delta.grad", clearing: str = "pass") -> str:
    """A program that attacks the input of a model before it trains on it."""
    return ATTACK.format(reading=reading, clearing=clearing)


def test_the_loss_of_another_network_adds_to_what_a_loss_without_it_has_left() -> None:
    assert kinds(TWO.format(given="fake.detach()", second="critic(fake)")) == ["foreign-gradient"]


def test_two_losses_that_both_reach_a_network_are_a_sum_that_is_meant() -> None:
    text = TWO.format(given="generator(torch.ones(2))", second="critic(fake)")
    between = "    of_generator.zero_grad()\n"
    clearing = "    of_critic.zero_grad()\n"
    assert kinds(text.replace(between, "").replace(clearing, between + clearing)) == []


def test_a_loss_that_does_not_reach_the_other_network_adds_nothing() -> None:
    assert kinds(TWO.format(given="fake.detach()", second="fake")) == []


def test_a_backward_for_an_input_leaves_its_gradient_in_the_weights() -> None:
    assert kinds(attack()) == ["foreign-gradient"]


def test_what_is_cleared_in_between_is_not_used() -> None:
    assert kinds(attack(clearing="optimizer.zero_grad()")) == []


def test_an_input_whose_gradient_nobody_reads_is_no_reason_for_a_backward() -> None:
    assert kinds(attack(reading="pass")) == []


STEERED = """
model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    x = torch.randn(8, 4)
    direction = torch.randn(8, 4, requires_grad=True)
    optimizer.zero_grad()
    model(x + direction).mean().backward()
    direction = direction.grad / direction.grad.norm()
    model({given}).mean().backward()
    optimizer.step()
"""


def test_a_loss_that_is_computed_with_the_gradient_of_another_one_is_mixed_with_it() -> None:
    assert kinds(STEERED.format(given="x + direction")) == ["foreign-gradient"]


def test_a_gradient_that_the_second_loss_is_computed_without_is_quiet() -> None:
    assert kinds(STEERED.format(given="x")) == []


STEPPED_BETWEEN = """
generator, critic = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
of_generator = torch.optim.SGD(generator.parameters(), lr=0.1)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
for _ in range(3):
    of_generator.zero_grad()
    critic(generator(torch.randn(8, 2))).mean().backward()
    of_generator.step()
    critic(generator(torch.randn(8, 2)).detach()).mean().backward()
    of_critic.step()
    of_critic.zero_grad()
"""


def test_the_step_that_uses_what_another_loss_has_left_is_named() -> None:
    (found,) = faults(STEPPED_BETWEEN)
    assert found.modified is not None
    assert found.modified.place is not None
    text = STEPPED_BETWEEN.splitlines()
    assert found.place is not None
    between = found.modified.place.row - found.place.row
    assert between == text.index("    of_critic.step()") - text.index(
        "    critic(generator(torch.randn(8, 2))).mean().backward()"
    )


@pytest.mark.parametrize("cut", ["made(noise).detach()", "without(made, noise)"])
def test_modules_of_unknown_classes_leave_their_gradients_as_others_do(cut: str) -> None:
    text = f"""
from networks import networks

@torch.no_grad()
def without(made, noise):
    return made(noise)

made, critic = networks()
of_made = torch.optim.SGD(made.parameters(), lr=0.1)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
noise = torch.randn(8, 2)
for _ in range(3):
    critic(made(noise)).mean().backward()
    of_made.step()
    of_made.zero_grad()
    critic({cut}).mean().backward()
    of_critic.step()
    of_critic.zero_grad()
"""
    assert kinds(text) == ["foreign-gradient"]
    clearing = text.replace("    of_made.step()", "    of_made.step(); of_critic.zero_grad()")
    assert kinds(clearing) == []


CLEARED_BETWEEN = """
generator, critic = {networks}
of_generator = torch.optim.SGD(generator.parameters(), lr=0.1)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
for real in torch.ones(9, 8, 4):
    fake = generator(torch.randn(8, 2))
    of_generator.zero_grad()
    critic(fake).mean().backward(retain_graph=True)
    {clear}
    (critic({given}).mean() - critic(real).mean()).backward()
    of_generator.step()
    of_critic.step()
"""
CLEAR = "of_critic.zero_grad()"


@pytest.mark.parametrize(
    "networks", ["torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)", "package.make(), package.make()"]
)
def test_a_loss_for_which_another_optimizer_is_cleared_is_no_second_term(networks: str) -> None:
    head = "import package\n"
    text = CLEARED_BETWEEN.format(networks=networks, clear=CLEAR, given="fake")
    assert "foreign-gradient" in kinds(head + text)
    cut = CLEARED_BETWEEN.format(networks=networks, clear=CLEAR, given="fake.detach()")
    assert "foreign-gradient" not in kinds(head + cut)


def test_gradients_of_two_losses_that_nobody_clears_between_are_a_sum() -> None:
    networks = "torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)"
    text = CLEARED_BETWEEN.format(networks=networks, clear="pass", given="fake")
    assert "foreign-gradient" not in kinds(text)


OF_EACH = """
first, second, third = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)
of_first = torch.optim.SGD(first.parameters(), lr=0.1)
of_second = torch.optim.SGD([*second.parameters(), *third.parameters()], lr=0.1)
for x in torch.ones(9, 8, 4):
    of_first.zero_grad()
    first({before}).mean().backward()
    of_second.zero_grad()
    {loss}.mean().backward()
    of_first.step()
    of_second.step()
"""


def test_the_loss_of_an_actor_adds_to_the_gradients_of_its_critic() -> None:
    assert kinds(OF_EACH.format(before="x", loss="first(second(third(x)))")) == ["foreign-gradient"]


def test_an_encoder_with_an_optimizer_of_its_own_gets_the_gradients_of_all_heads() -> None:
    assert kinds(OF_EACH.format(before="x", loss="second(third(first(x)))")) == []


def test_a_network_that_also_judges_other_things_is_trained_by_its_own_loss() -> None:
    judged = OF_EACH.format(before="x", loss="(second(first(x)) - second(x + 1))")
    assert kinds(judged) == ["foreign-gradient"]
    cut = OF_EACH.format(before="x", loss="(second(first(x).detach()) - second(x + 1))")
    assert kinds(cut) == []


def test_the_call_by_which_a_gradient_gets_to_what_another_loss_is_for_is_named() -> None:
    networks = "torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)"
    text = CLEARED_BETWEEN.format(networks=networks, clear=CLEAR, given="fake")
    (fault,) = [one for one in faults(text) if one.kind.value == "foreign-gradient"]
    (way,) = fault.noted
    assert way.place is not None
    line = (HEAD + text).splitlines()[way.place.row - 1]
    assert line[way.place.column - 1 :].startswith("critic(fake)")


LEFT = """
generator, critic = torch.nn.Linear(2, 4), torch.nn.Linear(4, 1)
of_generator = torch.optim.SGD(generator.parameters(), lr=0.1)
of_critic = torch.optim.SGD(critic.parameters(), lr=0.1)
for _ in range(3):
    critic(generator(torch.randn(8, 2))).mean().backward()
    of_generator.step()
    of_generator.zero_grad()
    fake = generator(torch.randn(8, 2))
    {cutting}
    critic(fake).mean().backward()
    of_critic.step()
    of_critic.zero_grad()
"""


@pytest.mark.parametrize("cutting", ["fake = fake.detach()", "fake.detach_()"])
def test_what_a_loss_was_computed_without_is_the_same_however_it_was_cut(cutting: str) -> None:
    assert kinds(LEFT.format(cutting=cutting)) == ["foreign-gradient"]
