"""Training in files in which nothing clears gradients."""

from pathlib import Path

from autograd_lint.checkers.alone.steps_without_clearing import judge
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

AGENT = """
import torch.optim as optim
from helpers import prepare
class Agent:
    def __init__(self, net):
        self.optimizer = optim.Adam(net.parameters())
    def {name}(self, loss):
        prepare(self)
        loss.backward()
        self.optimizer.step()
"""
LOOP = """
import torch
def run(net, loader):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in loader:
        {clear}
        net(x).sum().backward()
        opt.step()
"""


def _rows(text: str, folder: Path, helper: str = "") -> list[int]:
    (folder / "helpers.py").write_text(f"def prepare(agent):\n    {helper or 'pass'}\n")
    (folder / "agent.py").write_text(text)
    source = Source(str(folder / "agent.py"), text)
    project = Project([folder], {source.filename: source})
    return [fault.place.row for fault in judge(source, project) if fault.place]


def test_a_method_that_trains_and_never_clears_is_told(tmp_path: Path) -> None:
    assert _rows(AGENT.format(name="update"), tmp_path) == [9]


def test_a_loop_that_never_clears_is_told(tmp_path: Path) -> None:
    assert _rows(LOOP.format(clear="pass"), tmp_path) == [7]


def test_what_clears_in_the_file_is_seen(tmp_path: Path) -> None:
    assert _rows(LOOP.format(clear="net.zero_grad()"), tmp_path) == []
    assert _rows(LOOP.format(clear="net.weight.grad = None"), tmp_path) == []


def test_what_clears_in_a_file_that_is_imported_is_seen(tmp_path: Path) -> None:
    text = AGENT.format(name="update")
    assert _rows(text, tmp_path, "agent.optimizer.zero_grad()") == []


def test_a_function_that_runs_once_is_quiet(tmp_path: Path) -> None:
    assert _rows(AGENT.format(name="once"), tmp_path) == []


def test_a_method_that_the_file_calls_once_is_quiet(tmp_path: Path) -> None:
    text = AGENT.format(name="update")
    assert _rows(text + "\nagent.update(loss)\n", tmp_path) == []
    assert _rows(text + "\nfor loss in losses:\n    agent.update(loss)\n", tmp_path) == [9]


def test_a_loop_of_a_few_iterations_demonstrates_something(tmp_path: Path) -> None:
    text = LOOP.format(clear="pass").replace("in loader", "in range({})")
    assert _rows(text.format(3), tmp_path) == []
    assert _rows(text.format(100), tmp_path) == [7]


OTHERS = """
import torch.optim as optim
from helpers import prepare
class Critic:
    def __init__(self, net):
        self.optimizer = optim.Adam(net.parameters())
    def update(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
class Actor:
    def __init__(self, net):
        self.optimizer = optim.Adam(net.parameters())
    def update(self, loss):
        {first}
        loss.backward()
        self.optimizer.step()
"""
EPOCHS = """
import torch
def run(net, loader, opt):
    for epoch in range(90):
        {epoch}
        for x in loader:
            net(x).sum().backward()
            opt.step()
"""


def test_who_clears_for_a_training_of_its_own_clears_for_no_others(tmp_path: Path) -> None:
    assert _rows(OTHERS.format(first="pass"), tmp_path) == [16]
    assert _rows(OTHERS.format(first="self.optimizer.zero_grad()"), tmp_path) == []


def test_a_training_of_its_own_in_another_file_clears_for_no_others(tmp_path: Path) -> None:
    training = "agent.opt.zero_grad(); agent.loss().backward(); agent.opt.step()"
    assert _rows(LOOP.format(clear="pass") + "import helpers\n", tmp_path, training) == [7]
    assert _rows(LOOP.format(clear="prepare(net)") + "import helpers\n", tmp_path, training) == []


def test_what_trains_less_than_it_clears_may_clear_for_others(tmp_path: Path) -> None:
    text = OTHERS.format(first="pass").replace(
        "loss.backward()", "other.zero_grad(); loss.backward()", 1
    )
    assert _rows(text, tmp_path) == []


def test_clearing_once_an_epoch_is_not_enough_for_its_batches(tmp_path: Path) -> None:
    assert _rows(EPOCHS.format(epoch="opt.zero_grad()"), tmp_path) == [7]


def test_batches_may_add_up_where_the_step_is_one_of_the_epoch(tmp_path: Path) -> None:
    text = EPOCHS.format(epoch="opt.zero_grad()").replace(
        "            opt.step()", "        opt.step()"
    )
    assert _rows(text, tmp_path) == []


def test_a_flag_that_is_none_clears_nothing(tmp_path: Path) -> None:
    text = LOOP.format(clear="pass").replace("def run(net,", "def run(net, requires_grad=None,")
    assert _rows(
        text.replace(
            "run(net, requires_grad=None, loader)", "run(net, loader, requires_grad=None)"
        ),
        tmp_path,
    ) == [7]


def test_a_test_of_how_long_training_takes_is_quiet(tmp_path: Path) -> None:
    text = LOOP.format(clear="pass").replace("in loader", "in range(1000)")
    assert _rows(text.replace("def run", "def test_time"), tmp_path) == []
    assert _rows(text, tmp_path) == [7]


def test_a_method_is_called_again_where_only_an_update_calls_it(tmp_path: Path) -> None:
    text = (
        AGENT.format(name="learn_critic")
        + "    def {}(self, loss):\n        self.learn_critic(loss)\n"
    )
    assert _rows(text.format("update"), tmp_path) == [9]
    assert _rows(text.format("main"), tmp_path) == []
    assert _rows(text.format("update") + "agent.update(loss)\n", tmp_path) == []


TWO = """
import torch
def run(first, second, loader):
    one_opt = torch.optim.SGD({one}, lr=0.1)
    other_opt = torch.optim.SGD({other}, lr=0.1)
    for x in loader:
        one_opt.zero_grad()
        first(second(x)).sum().backward()
        one_opt.step()
        other_opt.step()
"""


def test_an_optimizer_clears_nothing_for_another_one(tmp_path: Path) -> None:
    text = TWO.format(one="list(first.parameters())", other="second.parameters()")
    assert _rows(text, tmp_path) == [8]
    both = text.replace("one_opt.zero_grad()", "one_opt.zero_grad(); other_opt.zero_grad()")
    assert _rows(both, tmp_path) == []


def test_an_optimizer_may_clear_what_another_one_has_a_part_of(tmp_path: Path) -> None:
    text = TWO.format(one="first.parameters()", other="first.head.parameters()")
    assert _rows(text, tmp_path) == []


def test_what_clears_and_does_not_step_clears_for_all(tmp_path: Path) -> None:
    text = TWO.format(one="first.parameters()", other="second.parameters()")
    assert _rows(text.replace("one_opt.zero_grad", "opts.zero_grad"), tmp_path) == []


def test_what_steps_and_is_no_optimizer_of_torch_has_no_gradients_to_clear(tmp_path: Path) -> None:
    text = TWO.format(one="first.parameters()", other="second.parameters()")
    averages = text.replace("other_opt = torch.optim.SGD", "other_opt = Averages")
    assert _rows(averages, tmp_path) == []


GIVEN = """
import library
class Trainer:
    def __init__(self, net):
        self.optimizer, self.scheduler = {make}(net.parameters())
        self.other_optimizer = self.make_optimizer(library.others())
    def train_step(self, loss):
        self.{cleared}.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.other_optimizer.step()
"""


def test_an_optimizer_that_a_function_makes_is_one(tmp_path: Path) -> None:
    text = GIVEN.format(make="self.init_optimizers", cleared="other_optimizer")
    assert _rows(text, tmp_path) == [9]
    assert _rows(text.replace("init_optimizers", "parts"), tmp_path) == []
    assert _rows(text.replace("self.other_optimizer.z", "self.optimizer.z"), tmp_path) == [9]
    assert _rows(text.replace("library.others()", ""), tmp_path) == []
