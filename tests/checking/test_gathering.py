"""Findings belong to the project: whichever run shows them, and whatever is checked."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.fakes import write_tree

from autograd_lint.checking.checked import Checked
from autograd_lint.checking.desk import Desk, Plan
from autograd_lint.checking.workers import check_files
from autograd_lint.cli import app
from autograd_lint.configuration.settings import Settings
from autograd_lint.project import reading
from autograd_lint.project.importers import MOST
from autograd_lint.project.source import Source

LAYERS = """\
import torch


def bump(h):
    h += 1
    return h
"""
MODEL = """\
import torch
from layers import bump


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)

    def forward(self, x):
        return bump(self.fc(x).exp())
"""
SCRIPT = """\
from model import Net


def main():
    Net()(inputs()).sum().backward()


def inputs():
    import torch
    return torch.ones(2)


if __name__ == "__main__":
    main()
"""
FILES = {"pyproject.toml": "", "layers.py": LAYERS, "model.py": MODEL, "main.py": SCRIPT}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_tree(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*arguments: str) -> list[dict[str, Any]]:
    """What `check` says of these paths, as JSON."""
    done = CliRunner().invoke(
        app, ["check", "--output-format", "json", *arguments], standalone_mode=False
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def spots(found: list[dict[str, Any]]) -> list[tuple[str, str, int, str]]:
    """Code, file, row and certainty of findings."""
    return [
        (
            str(one["code"]),
            Path(str(one["filename"])).name,
            one["location"]["row"],
            one["certainty"],
        )  # type: ignore[index]
        for one in found
    ]


WRITE = ("AG103", "layers.py", 5, "certain")


@pytest.mark.parametrize("paths", [["."], ["layers.py"], ["main.py"], ["main.py", "layers.py"]])
@pytest.mark.parametrize("cache", [True, False])
def test_a_fault_is_told_where_it_lies_whatever_is_checked(
    here: Path, paths: list[str], cache: bool
) -> None:
    options = [] if cache else ["--no-cache"]
    for _ in range(2):
        assert spots(check(*paths, *options)) == [WRITE]


USER = """\
import torch
import layers


def use():
    return layers.torch.ones(2)
"""


@pytest.mark.parametrize(("nearer", "told"), [(MOST - 2, [WRITE]), (MOST, [])])
@pytest.mark.parametrize("paths", [["."], ["layers.py"], ["main.py"], ["main.py", "layers.py"]])
def test_importers_count_for_a_file_that_would_be_run_for_it_whatever_is_checked(
    here: Path, paths: list[str], nearer: int, told: list[tuple[str, str, int, str]]
) -> None:
    write_tree(here, {"model.py": MODEL, **{f"a{n}.py": USER for n in range(nearer)}})
    assert spots(check(*paths, "--no-cache")) == told


def test_what_is_told_does_not_hang_on_processes_or_on_the_order_of_files(here: Path) -> None:
    names = ["layers.py", "main.py", "model.py"]
    found = [check(*order, "--no-cache") for order in itertools.permutations(names)]
    found += [check(".", "--no-cache", "--jobs", jobs) for jobs in ("1", "2", "3")]
    assert all(one == found[0] for one in found)


MADE_THERE = """\
import torch


def bump(h):
    w = torch.ones(1, requires_grad=True)
    w += 1
    return h
"""


def test_the_call_that_leads_to_the_fault_is_a_related_place(here: Path) -> None:
    write_tree(here, {"layers.py": MADE_THERE})
    (found,) = check("main.py")
    assert found["code"] == "AG101"
    assert [(one["role"], one["location"]["row"]) for one in found["related"]] == [("called", 5)]


def test_a_file_that_nothing_touches_is_not_told_of_others(here: Path) -> None:
    write_tree(here, {"apart.py": "import torch\n\nx = torch.ones(1)\n"})
    assert check("apart.py") == []


@pytest.mark.parametrize("paths", [["."], ["main.py"], ["layers.py"]])
def test_a_comment_silences_where_the_finding_stands(here: Path, paths: list[str]) -> None:
    write_tree(here, {"layers.py": LAYERS.replace("h += 1", "h += 1  # noqa: AG103")})
    assert check(*paths) == []


def test_per_file_ignores_go_by_the_file_of_the_finding(here: Path) -> None:
    assert check("main.py", "--per-file-ignores", "layers.py:AG103") == []
    assert len(check("main.py", "--per-file-ignores", "main.py:AG103")) == 1


def test_a_baseline_knows_the_finding_by_its_file(here: Path) -> None:
    CliRunner().invoke(
        app, ["check", ".", "--baseline", "known.json", "--write-baseline"], standalone_mode=False
    )
    assert check("layers.py", "--baseline", "known.json") == []
    assert check("main.py", "--baseline", "known.json") == []


def test_a_changed_importer_changes_what_is_told_of_the_file(here: Path) -> None:
    assert spots(check("layers.py")) == [WRITE]
    write_tree(here, {"main.py": "", "model.py": "import torch\n"})
    assert check("layers.py") == []


def test_a_test_shows_what_it_gives_the_code_under_test(here: Path) -> None:
    tested = "import torch\nfrom layers import bump\n\n\ndef test_bump():\n"
    body = "    x = torch.ones(2, requires_grad=True)\n    assert bump(x)[0] == 2\n"
    write_tree(here, {"test_layers.py": tested + body})
    found = check("test_layers.py")
    assert spots(found) == [("AG101", "layers.py", 5, "likely")]


LEARNER = """\
import torch
from torch import nn


class Agent:
    def __init__(self):
        self.policy = nn.Linear(4, 2)
        self.optimizer = torch.optim.Adam(self.policy.parameters())

    def learn(self, states):
        self.policy(states).mean().backward()
        self.optimizer.step()
"""
CLEARING = """\
import torch


def run(agent, states):
    for _ in range(3):
        agent.optimizer.zero_grad()
        agent.learn(states)
"""


def test_another_repository_that_is_named_too_changes_nothing(tmp_path: Path) -> None:
    """`run` clears gradients before some `learn`, but of another project's agent."""
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    write_tree(tmp_path, {"one/.git/HEAD": "", "one/agent.py": LEARNER})
    write_tree(tmp_path, {"two/.git/HEAD": "", "two/run.py": CLEARING})
    alone = check(one, "--no-cache")
    assert [found["code"] for found in alone] == ["AG401"]
    assert check(one, two, "--no-cache") == alone


def test_a_caller_in_the_same_repository_counts(tmp_path: Path) -> None:
    write_tree(tmp_path, {".git/HEAD": "", "agent.py": LEARNER, "run.py": CLEARING})
    assert check(str(tmp_path), "--no-cache") == []


def test_projects_with_configurations_that_extend_one_are_judged_alone(tmp_path: Path) -> None:
    """Both inherit from one file above them; the second project also ignores the rule."""
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    extending = 'extend = "../shared.toml"\n'
    write_tree(tmp_path, {"shared.toml": 'certainty = "certain"\n'})
    write_tree(tmp_path, {"one/.git/HEAD": "", "one/agent.py": LEARNER})
    write_tree(tmp_path, {"one/autograd-lint.toml": extending})
    write_tree(tmp_path, {"two/.git/HEAD": "", "two/agent.py": LEARNER + "\n\nAgent().learn(2)\n"})
    write_tree(tmp_path, {"two/autograd-lint.toml": extending + 'ignore = ["AG401"]\n'})
    first, second = check(one, "--no-cache"), check(two, "--no-cache")
    assert check(one, two, "--no-cache") == first + second
    write_tree(tmp_path, {"shared.toml": 'certainty = "possible"\n'})
    assert [found["code"] for found in check(one, two, "--no-cache")] == ["AG401"]


def test_what_a_file_and_its_importers_import_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    doubled = "import torch\n\ndef doubled(x):\n    return x * 2\n"
    taken = "import torch\nfrom common import doubled\n"
    loss = "def loss(x):\n    doubled(x).add_(1).sum().backward()\n"
    call = "from own import loss\nloss(doubled(torch.ones(2, requires_grad=True)))\n"
    tree = {
        "pyproject.toml": "",
        "common.py": doubled,
        "own.py": taken + loss,
        "user.py": taken + call,
    }
    write_tree(tmp_path, tree)
    opened: list[str] = []

    def parsed(filename: str) -> Source | None:
        opened.append(Path(filename).name)
        return read(filename)

    read = reading.parsed
    monkeypatch.setattr(reading, "parsed", parsed)
    list(check_files([tmp_path / "own.py"], Plan(Settings(), (tmp_path,)), 1))
    assert opened.count("common.py") == 1


def test_importers_that_use_nothing_of_a_file_are_not_run_for_it(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = "import torch\nfrom layers import bump\n\ndef own(x):\n    return x.exp().add_(1)\n"
    write_tree(here, {"main.py": listing})
    run: list[str] = []

    def checked(desk: Desk, path: Path, most: int | None = None) -> Checked:
        run.append(path.name)
        return whole(desk, path, most)

    whole = Desk.check
    monkeypatch.setattr(Desk, "check", checked)
    list(check_files([here / "layers.py"], Plan(Settings(), (here,)), 1))
    assert run == ["layers.py", "model.py"]
