"""Networks that only give targets, and do so in training mode."""

import pytest

from tests.vm.running import HEAD, faults, kinds

PROGRAM = """
teacher = nn.Sequential(nn.Linear(2, 2), {part})
student = nn.Linear(2, 2)
optimizer = torch.optim.SGD({optimized}.parameters(), lr=0.1)
{before}
for _ in range(3):
    with torch.no_grad():
        wanted = teacher(torch.ones(4, 2))
    loss = (student(torch.ones(4, 2)) - wanted).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    {after}
"""
TOLD = "validated-in-training-mode"


def told(
    part: str = "nn.Dropout(0.5)", optimized: str = "student", before: str = "", after: str = ""
) -> bool:
    program = PROGRAM.format(part=part, optimized=optimized, before=before, after=after)
    return TOLD in kinds(program)


@pytest.mark.parametrize("part", ["nn.Dropout(0.5)", "nn.BatchNorm1d(2)"])
def test_a_teacher_in_training_mode_is_told(part: str) -> None:
    assert told(part)


def test_a_teacher_in_evaluation_mode_is_quiet() -> None:
    assert not told(before="teacher.eval()")


def test_a_teacher_without_a_mode_of_its_own_is_quiet() -> None:
    assert not told("nn.ReLU()")


def test_a_network_that_is_trained_as_well_is_quiet() -> None:
    trained = "teacher(torch.ones(4, 2)).sum().backward(); optimizer.step()"
    assert not told(optimized="nn.Sequential(teacher, student)", after=trained)


def test_a_mean_teacher_is_quiet() -> None:
    average = (
        "with torch.no_grad():\n"
        "        for mine, other in zip(teacher[0].parameters(), student.parameters()):\n"
        "            mine.mul_(0.9).add_(other, alpha=0.1)"
    )
    assert not told(after=average)


def test_a_network_that_other_code_was_given_is_quiet() -> None:
    assert not told(before="import engine\nengine.prepare(teacher)")


BEFORE = """
def fit(net, inputs, distance):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in inputs:
        optimizer.zero_grad()
        distance(net, x).backward()
        optimizer.step()
    with torch.no_grad():
        print(net(inputs[0]))

inputs = [torch.ones(4, 2)] * 3
for seed in range(2):
    net = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
    fit(net, inputs, lambda net, x: net(x).pow(2).mean())
{after}
"""
TAUGHT = """
student = nn.Linear(2, 2)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
for x in inputs:
    with torch.no_grad():
        wanted = net(x)
    optimizer.zero_grad()
    (student(x) - wanted).pow(2).mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("after", "is_told"), [("", False), (TAUGHT, True)])
def test_a_network_that_was_trained_before_teaches_only_in_an_iteration(
    after: str, is_told: bool
) -> None:
    assert (TOLD in kinds(BEFORE.format(after=after))) is is_told


UNKNOWN = """
from zoo import large, small

teacher, student = large(), small()
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
teacher.{mode}()
for x in torch.ones(9, 4, 2):
    with torch.no_grad():
        wanted = teacher(x)
    optimizer.zero_grad()
    (student(x) - wanted).pow(2).mean().backward()
    optimizer.step()
"""


def test_a_teacher_of_an_unknown_class_is_told_where_the_program_puts_it_into_training() -> None:
    (fault,) = faults(UNKNOWN.format(mode="train"))
    assert fault.kind.value == TOLD
    (begun,) = fault.noted
    assert begun.place is not None
    assert (HEAD + UNKNOWN).splitlines()[begun.place.row - 1] == "teacher.{mode}()"
    assert not faults(UNKNOWN.format(mode="eval"))
