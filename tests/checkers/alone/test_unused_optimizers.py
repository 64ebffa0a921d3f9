"""Optimizers that an object keeps and nothing reads."""

from autograd_lint.checkers.alone.unused_optimizers import judge
from tests.checkers.noting import told_at

TEXT = """\
class Trainer:
    def __init__(self, net):
        self.optimizer = torch.optim.SGD({given}, lr=0.1)

    def fit(self, loader):
        for x in loader:
            loss = self.net(x).sum()
            loss.backward()
            {behind}
{after}
"""


def _rows(given: str = "net.parameters()", behind: str = "pass", after: str = "") -> list[int]:
    return told_at(judge, TEXT.format(given=given, behind=behind, after=after))


def test_backward_beside_an_optimizer_that_nothing_reads_is_told() -> None:
    assert _rows() == [8]


def test_a_class_that_steps_is_quiet() -> None:
    assert _rows(behind="self.optimizer.step()") == []


def test_an_optimizer_that_other_code_of_the_file_reads_is_quiet() -> None:
    assert _rows(after="trainer.optimizer.step()") == []


def test_an_optimizer_of_a_list_of_tensors_is_quiet() -> None:
    assert _rows(given="[image]") == []
