"""States that are loaded back although nothing kept them."""

import pytest

from tests.vm.running import certain, kinds

BACK = """
layer = nn.Linear(3, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
state = {state}
layer(torch.ones(2, 3)).mean().backward()
{step}
layer.load_state_dict(state)
"""


def test_a_state_is_overwritten_by_the_next_step() -> None:
    text = BACK.format(state="layer.state_dict()", step="optimizer.step()")
    assert certain(text) == ["state-overwritten"]


@pytest.mark.parametrize(
    ("state", "step"),
    [
        ("layer.state_dict()", "pass"),
        ("copy.deepcopy(layer.state_dict())", "optimizer.step()"),
        ("{name: value.clone() for name, value in layer.state_dict().items()}", "optimizer.step()"),
    ],
)
def test_a_copy_is_kept_and_an_early_load_is_fine(state: str, step: str) -> None:
    assert kinds("import copy\n" + BACK.format(state=state, step=step)) == []


BEST = """
def train(model, loader, optimizer, judge):
    best = None
    for epoch in range(10):
        for x, y in loader:
            loss = ((model(x) - y) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        score = judge(model)
        if best is None or score > best:
            best = score
            state = model.state_dict(){end}
    model.load_state_dict(state)
"""


def test_the_best_state_is_overwritten_by_a_later_round() -> None:
    assert kinds(BEST.format(end="")) == ["state-overwritten"]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("epoch % 5 == 4", []),
        ("(epoch + 1) % library.every == 0", []),
        ("library.keeps and epoch % 5 == 4", []),
        ("epoch % 5 == 0", ["state-overwritten"]),
        ("epoch % library.every == 0", ["state-overwritten"]),
    ],
)
def test_the_last_of_every_so_many_rounds_is_that_of_the_loop(
    condition: str, found: list[str]
) -> None:
    text = BEST.format(end="").replace("best is None or score > best", condition)
    assert kinds(text.replace("range(10)", "range(library.epochs)")) == found


def test_the_last_round_keeps_its_state() -> None:
    assert kinds(BEST.format(end="\n            break")) == []


def test_a_loop_that_ends_on_the_other_side_of_the_branch_goes_on_after_a_state_was_kept() -> None:
    text = BEST.format(end="\n        elif epoch > 5:\n            break")
    assert kinds(text) == ["state-overwritten"]


def test_a_state_kept_in_every_round_is_that_of_the_last() -> None:
    text = BEST.format(end="").replace("if best is None or score > best:", "if True:")
    assert kinds(text) == []


def test_a_state_that_is_loaded_is_what_the_module_holds() -> None:
    text = BACK.format(state="layer.state_dict()", step="layer.load_state_dict(state)")
    assert kinds(text) == []


def test_another_state_overwrites_the_one_that_was_kept() -> None:
    other = "layer.load_state_dict(nn.Linear(3, 1).state_dict())"
    assert certain(BACK.format(state="layer.state_dict()", step=other)) == ["state-overwritten"]


def test_what_is_put_into_a_state_by_its_own_tensors_is_meant_to_be_loaded() -> None:
    text = """
net = nn.Linear(2, 2)
state = net.state_dict()
state['weight'].copy_(torch.ones(2, 2))
{between}
net.load_state_dict(state)
net(torch.ones(2)).sum().backward()
"""
    assert kinds(text.format(between="pass")) == []
    changed = "torch.nn.init.zeros_(net.weight)"
    assert kinds(text.format(between=changed)) == ["state-overwritten"]


KEPT_BY_AN_OBJECT = """
class Stopper:
    def __init__(self):
        self.best, self.state = float("inf"), None

    def stops(self, loss, model):
        if loss < self.best:
            self.best, self.state = loss, {state}
            {end}
        return False

def train(model, x, optimizer):
    loss = model(x).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
stopper = Stopper()
for _ in range(10):
    if stopper.stops(train(model, torch.randn(4, 2), optimizer), model):
        break
model.load_state_dict(stopper.state)
"""


@pytest.mark.parametrize(
    ("state", "end", "found"),
    [
        ("model.state_dict()", "", ["state-overwritten"]),
        ("model.state_dict()", "return True", []),
        ("{k: v.clone() for k, v in model.state_dict().items()}", "", []),
    ],
)
def test_the_loop_of_a_caller_overwrites_what_only_some_of_its_rounds_keep(
    state: str, end: str, found: list[str]
) -> None:
    assert kinds(KEPT_BY_AN_OBJECT.format(state=state, end=end)) == found


@pytest.mark.parametrize(("strict", "found"), [("", ["state-overwritten"]), (", strict=False", [])])
def test_a_state_of_some_parameters_may_leave_out_the_others(strict: str, found: list[str]) -> None:
    step = "layer.load_state_dict(torch.load('adapters.pt')" + strict + ")"
    assert certain(BACK.format(state="layer.state_dict()", step=step)) == found


SAVED = """
def train(model, loader, optimizer, judge):
    best, kept = 0, {first}
    for epoch in range(10):
        for x, y in loader:
            loss = ((model(x) - y) ** 2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        score = judge(model)
        if score > best:
            best = score
            kept = {{"state": {state}, "epoch": epoch}}
            {inside}
    torch.save(kept, "best.pt")
"""


def test_a_file_gets_the_last_state_where_the_best_one_was_not_kept() -> None:
    text = SAVED.format(first={}, state="model.state_dict()", inside="pass")
    assert kinds(text) == ["state-overwritten"]


@pytest.mark.parametrize(
    ("first", "state", "inside"),
    [
        ("{}", "copy.deepcopy(model.state_dict())", "pass"),
        ("{}", "model.state_dict()", "break"),
        ("model.state_dict()", "None", "kept = kept"),
    ],
)
def test_a_file_gets_a_copy_or_what_is_trained_no_more(first: str, state: str, inside: str) -> None:
    assert kinds("import copy\n" + SAVED.format(first=first, state=state, inside=inside)) == []


def test_what_is_saved_in_the_round_that_keeps_it_is_what_was_kept() -> None:
    text = SAVED.format(first={}, state="model.state_dict()", inside='torch.save(kept, "best.pt")')
    assert kinds(text.replace('\n    torch.save(kept, "best.pt")\n', "\n")) == []
