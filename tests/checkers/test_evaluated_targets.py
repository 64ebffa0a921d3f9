"""Targets that an optimizer moves although their network is in evaluation mode."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.vm.running import faults, kinds

TEXT = """
student, teacher = nn.Linear(2, 2), nn.Linear(2, 2)
optimizer = torch.optim.SGD({moved}, lr=0.1)
for x in torch.ones(9, 3, 2):
    student.train()
    {mode}
    loss = torch.nn.functional.mse_loss(student(x), teacher(x).softmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
BOTH = "[*student.parameters(), *teacher.parameters()]"


def test_a_teacher_in_evaluation_mode_is_not_to_be_moved() -> None:
    assert "target-learns" in kinds(TEXT.format(moved=BOTH, mode="teacher.eval()"))


def test_two_networks_in_training_mode_learn_from_each_other() -> None:
    assert kinds(TEXT.format(moved=BOTH, mode="teacher.train()")) == []


def test_what_no_optimizer_has_stays_where_it_is() -> None:
    assert kinds(TEXT.format(moved="student.parameters()", mode="teacher.eval()")) == []


LOADED = """
student, teacher = {student}, torch.load("teacher.pt")
optimizer = torch.optim.SGD([*student.parameters(), *teacher.parameters()], lr=0.1)
for x in torch.ones(9, 3, 2):
    {mode}
    loss = torch.nn.functional.mse_loss(student(x), teacher(x).softmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_a_teacher_of_unknown_class_is_not_to_be_moved_either() -> None:
    known = LOADED.format(student="nn.Linear(2, 2)", mode="teacher.eval()")
    assert kinds(known) == ["target-learns"]
    assert kinds(LOADED.format(student="torch.load('student.pt')", mode="teacher.eval()")) == [
        "target-learns"
    ]


def test_two_networks_of_unknown_mode_may_learn_from_each_other() -> None:
    unknown = "torch.load('student.pt')"
    assert kinds(LOADED.format(student=unknown, mode="pass")) == []
    assert kinds(LOADED.format(student=unknown, mode="student.eval(); teacher.eval()")) == []


def test_a_teacher_of_unknown_class_may_be_frozen() -> None:
    frozen = "teacher.eval().requires_grad_(False)"
    assert kinds(LOADED.format(student="nn.Linear(2, 2)", mode=frozen)) == []


WITHIN = """
class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.student, self.teacher = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        wanted = self.teacher(x).softmax(1)
        return torch.nn.functional.mse_loss(self.student(x), wanted)

pair = Pair()
optimizer = torch.optim.SGD(pair.parameters(), lr=0.1)
{mode}
for x in torch.ones(9, 3, 2):
    optimizer.zero_grad()
    pair(x).backward()
    optimizer.step()
"""


def test_the_networks_may_be_parts_of_one_module() -> None:
    assert kinds(WITHIN.format(mode="pair.teacher.eval()")) == ["target-learns"]


def test_parts_of_one_module_may_learn_from_each_other() -> None:
    assert kinds(WITHIN.format(mode="pair.train()")) == []


def test_a_frozen_teacher_learns_nothing_from_batches_of_which_nothing_is_known() -> None:
    assert kinds(FROZEN) == []


FROZEN = """
student, teacher = nn.Linear(2, 2), nn.Linear(2, 2)
loader = torch.utils.data.DataLoader(range(9))
first = torch.optim.SGD(teacher.parameters(), lr=0.1)
for x in loader:
    first.zero_grad()
    teacher(x).sum().backward()
    first.step()

teacher.eval()
teacher.requires_grad_(False)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
for x in loader:
    optimizer.zero_grad()
    torch.nn.functional.mse_loss(student(x), teacher(x).softmax(1)).backward()
    optimizer.step()
"""


WARM = """
def distill(teacher, student, loader, temperature):
    optimizer = torch.optim.SGD([*student.parameters(), *teacher.parameters()], lr=0.1)
    teacher.eval()
    for x in loader:
        made, target = student(x) / {by}, teacher(x) / {by}
        loss = torch.nn.functional.mse_loss(made, target.softmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize("by", ["2", "temperature"])
def test_a_temperature_does_not_hide_where_a_target_comes_from(by: str) -> None:
    (fault,) = faults(WARM.format(by=by))
    assert fault.kind is Pitfall.TARGET_LEARNS
    assert [(one.place.row, one.said) for one in fault.noted if one.place] == [
        (5, "this optimizer has its parameters")
    ]
