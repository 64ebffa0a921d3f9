"""States of modules that are kept without a copy while the module is trained on."""

from pathlib import Path

import pytest

from autograd_lint.checkers.alone.kept_states import judge
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

ENGINE = """
def train_epoch(model, loader, optimizer):
    for x in loader:
        step(model, x, optimizer)

def step(model, x, optimizer):
    model(x).mean().backward()
    optimizer.step()

def evaluate(model, loader):
    return sum(model(x).mean().item() for x in loader)
"""

BEST = """
def main(model, loader, optimizer):
    score, best = 0, None
    for epoch in range(9):
        {trains}
        now = evaluate(model, loader)
        if {better}:
            {then}
            best = {state}
    {read}
"""

STOPPER = """
class Stopper:
    def __call__(self, loss, model):
        if {better}:
            self.loss, self.state = loss, {state}
        else:
            self.waited += 1

    def restore(self, model):
        {read}
"""

FOLDS = """
def search(model, rates, loader):
    start = {state}
    {between}
    for rate in rates:
        {load}
        {trains}
"""


def _rows(folder: Path, text: str) -> list[int]:
    (folder / "engine.py").write_text(ENGINE)
    source = Source(str(folder / "a.py"), text)
    (folder / "a.py").write_text(text)
    return [fault.place.row for fault in judge(source, Project([folder])) if fault.place]


def _best(
    folder: Path,
    state: str = "model.state_dict()",
    read: str = "model.load_state_dict(best)",
    better: str = "now > score",
    trains: str = "train_epoch(model, loader, optimizer)",
    then: str = "score = now",
) -> list[int]:
    parts = {"state": state, "read": read, "better": better, "trains": trains, "then": then}
    return _rows(folder, BEST.format(**parts))


def test_the_state_of_the_best_round_is_trained_on(tmp_path: Path) -> None:
    assert _best(tmp_path) == [9]


@pytest.mark.parametrize(
    "state",
    [
        "copy.deepcopy(model.state_dict())",
        "{k: v.clone() for k, v in model.state_dict().items()}",
        "optimizer.state_dict()",
    ],
)
def test_a_copy_is_kept_and_so_is_the_state_of_no_module(tmp_path: Path, state: str) -> None:
    assert _best(tmp_path, state=state) == []


@pytest.mark.parametrize("state", ["dict(model.state_dict())", "{'net': model.state_dict()}"])
def test_a_dictionary_that_holds_the_state_is_no_copy(tmp_path: Path, state: str) -> None:
    assert _best(tmp_path, state=state, read="return best") == [9]


@pytest.mark.parametrize(
    ("read", "found"),
    [
        ("return best, score", [9]),
        ("torch.save(best, 'best.pt')", [9]),
        ("model.load_state_dict(best['net'])", [9]),
        ("print(best)", []),
        ("best = None", []),
        ("finish(best)", []),
    ],
)
def test_it_is_told_where_it_is_loaded_written_or_returned(
    tmp_path: Path, read: str, found: list[int]
) -> None:
    assert _best(tmp_path, read=read) == found


@pytest.mark.parametrize("better", ["epoch == 8", "epoch % 3 == 0", "now > 0.5"])
def test_a_condition_that_asks_for_nothing_better_may_keep_the_last(
    tmp_path: Path, better: str
) -> None:
    assert _best(tmp_path, better=better, then="pass") == []


def test_a_round_that_ends_the_loop_is_the_last_one(tmp_path: Path) -> None:
    assert _best(tmp_path, read="pass", then="score = now; return model.state_dict()") == []


@pytest.mark.parametrize(
    "trains",
    [
        "evaluate(model, loader)",
        "model(loader).backward()",
        "model = train_epoch(make(), loader)",
        "model.cpu()",
    ],
)
def test_a_loop_that_trains_nothing_or_another_module_keeps_the_state(
    tmp_path: Path, trains: str
) -> None:
    assert _best(tmp_path, trains=trains) == []


def test_the_best_state_of_an_object_that_is_called_each_round_is_trained_on(
    tmp_path: Path,
) -> None:
    parts = {"better": "loss < self.loss", "state": "model.state_dict()"}
    loads = "model.load_state_dict(self.state)"
    assert _rows(tmp_path, STOPPER.format(read=loads, **parts)) == [5]
    assert _rows(tmp_path, STOPPER.format(read="pass", **parts)) == []


@pytest.mark.parametrize(
    ("better", "state"),
    [
        ("self.done", "model.state_dict()"),
        ("loss < self.loss", "copy.deepcopy(model.state_dict())"),
    ],
)
def test_an_object_that_copies_or_keeps_once_is_fine(
    tmp_path: Path, better: str, state: str
) -> None:
    loads = "model.load_state_dict(self.state)"
    assert _rows(tmp_path, STOPPER.format(better=better, state=state, read=loads)) == []


def _folds(
    folder: Path,
    state: str = "model.state_dict()",
    load: str = "model.load_state_dict(start)",
    trains: str = "train_epoch(model, loader, rate)",
    between: str = "pass",
) -> list[int]:
    text = FOLDS.format(state=state, load=load, trains=trains, between=between)
    return _rows(folder, text)


def test_the_state_that_each_round_begins_with_is_trained_on(tmp_path: Path) -> None:
    assert _folds(tmp_path) == [3]


@pytest.mark.parametrize(
    "parts",
    [
        {"state": "copy.deepcopy(model.state_dict())"},
        {"load": "other.load_state_dict(start)"},
        {"trains": "evaluate(model, loader)"},
        {"load": "model = make(); model.load_state_dict(start)"},
        {"between": "start.update(given)"},
        {"between": "start['bias'] = given"},
        {"between": "start = {k: v.clone() for k, v in start.items()}"},
        {"between": "start['bias'] = start['bias'].clone()"},
    ],
)
def test_a_state_that_is_copied_changed_or_loaded_by_another_module_is_fine(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    assert _folds(tmp_path, **parts) == []
