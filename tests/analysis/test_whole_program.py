"""What the run of a program itself shows passes the same evidence as what a harness finds."""

from pathlib import Path

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

WRITES = """import torch

def step():
    w = torch.ones(3, requires_grad=True)
    w.add_(1)
"""


def only(text: str) -> Fault:
    (found,) = analyse(Source("a.py", text))
    return found


def test_what_the_program_itself_shows_says_so() -> None:
    assert "whole-program" in only(WRITES + "\nstep()\n").signals


def test_what_only_a_harness_shows_does_not() -> None:
    assert "whole-program" not in only(WRITES).signals


def test_that_the_program_is_one_file_is_said_where_it_imports_no_other(tmp_path: Path) -> None:
    program = WRITES + "\nstep()\n"
    texts = {"own.py": program, "several.py": f"import own\n{program}"}
    write_tree(tmp_path, texts)
    project = Project([tmp_path])
    sources = [Source(str(tmp_path / name), text) for name, text in texts.items()]
    found = [fault for source in sources for fault in analyse(source, project)]
    assert ["one-file" in fault.signals for fault in found] == [True, False]


def test_what_the_program_itself_calls_rests_on_no_caller() -> None:
    assert only(WRITES + "\nstep()\n").assumptions == frozenset()


FROZEN = """import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--all", action="store_true")
options = parser.parse_args()
net = torch.nn.Linear(2, 1)
if {condition}:
    net.requires_grad_(False)
net(torch.ones(1, 2)).sum().backward()
"""


def assumed(text: str) -> list[str]:
    return sorted(one.name for one in only(text).premises)


def test_an_error_that_options_lead_to_by_default_says_so() -> None:
    assert assumed(FROZEN.format(condition="not options.all")) == ["condition-by-default"]


def test_an_error_that_an_option_must_ask_for_rests_on_it() -> None:
    assert assumed(FROZEN.format(condition="options.all")) == ["condition"]


PREDICTS = """import torch

net = torch.nn.Linear(2, 1)

def evaluate(x):
    return net(x).numpy()
"""


def test_grad_mode_of_a_method_of_use_is_known_where_the_program_calls_it() -> None:
    assert assumed(PREDICTS + "\nevaluate(torch.ones(1, 2))\n") == []


def test_a_backward_that_is_reached_proves_that_the_loss_before_had_one_element() -> None:
    text = """import torch
from elsewhere import size

w = torch.ones(size(), requires_grad=True)
loss = w * w
loss.backward()
loss.backward()
"""
    assert assumed(text) == []


COACH = """import torch

def loss_of(out, options):
    loss = 0.0
    if options.weight > 0:
        loss += options.weight * out.mean()
    return loss

def fit(options):
    net = torch.nn.Linear(2, 2)
    loss_of(net(torch.ones(2)), options).backward()
"""
STARTING = """import argparse
from coach import fit

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weight", default=0, type=float)
    fit(parser.parse_args())

if __name__ == "__main__":
    main()
"""


def test_options_decide_on_what_lies_in_another_file_as_well(tmp_path: Path) -> None:
    write_tree(tmp_path, {"coach.py": COACH, "main.py": STARTING})
    (fault,) = analyse(Source(str(tmp_path / "main.py"), STARTING), Project([tmp_path]))
    assert fault.kind is FaultKind.NO_GRAD_ROOT and fault.premises


def test_what_no_option_decides_on_is_certain_in_another_file_as_well(tmp_path: Path) -> None:
    broken = COACH.replace("options.weight * out.mean()", "1")
    write_tree(tmp_path, {"coach.py": broken, "main.py": STARTING})
    (fault,) = analyse(Source(str(tmp_path / "main.py"), STARTING), Project([tmp_path]))
    assert fault.kind is FaultKind.NO_GRAD_ROOT and not fault.premises
