"""Objects of classes that derive from `dict` or `list`, and objects as keys."""

import pytest

from tests.vm.running import certain, taking

CLASSES = """
from collections import OrderedDict

class Key:
    def __init__(self, text):
        self.text = text
    def __hash__(self):
        return hash(self.text)

class State(dict):
    def get_key(self, key):
        return key
    def __getitem__(self, key):
        return super().__getitem__(self.get_key(key))
    def __setitem__(self, key, value):
        super().__setitem__(self.get_key(key), value)
    def update(self, given):
        super().update({self.get_key(key): given[key] for key in given})

class Options(OrderedDict):
    def __getattr__(self, name):
        return self[name]

LOSS, OTHER = Key("loss"), Key("other")
constant, weight = torch.zeros(1), torch.ones(1, requires_grad=True)
"""
RAISES = ["no-grad-root"]


@pytest.mark.parametrize(
    ("fill", "read"),
    [
        ("held = State(); held[LOSS], held[OTHER] = {loss}, {other}", "held[LOSS]"),
        ("held = State(); held.update({{LOSS: {loss}, OTHER: {other}}})", "held[LOSS]"),
        ("first = State(); first[LOSS] = {loss}; held = State(); held.update(first)", "held[LOSS]"),
        ("held = State(); held[LOSS] = {loss}", "list(held.values())[0]"),
        ("held = State(); held[LOSS] = {loss}", "[held[key] for key in held][0]"),
        ("held = State(); held[LOSS] = {loss}", "held.get(LOSS)"),
        ("held = State(); held[OTHER] = {other}; held[LOSS] = {loss}", "held.pop(LOSS)"),
        ("held = Options(loss={loss}, other={other})", "held.loss"),
        ("held = Options(loss={loss}, other={other})", "dict(**held)['loss']"),
        ("held = {{LOSS: {loss}, OTHER: {other}}}", "held[LOSS]"),
        ("held = {{}}; held[LOSS] = {loss}; held[OTHER] = {other}", "held[LOSS]"),
        ("held = {{nn.Linear: {loss}, nn.Conv1d: {other}}}", "held[nn.Linear]"),
    ],
)
def test_what_was_put_in_is_found_again(fill: str, read: str) -> None:
    for loss, raises in (("constant", RAISES), ("weight", [])):
        other = "weight" if raises else "constant"
        text = f"{fill.format(loss=loss, other=other)}\n{read}.sum().backward()\n"
        assert certain(CLASSES + text) == raises


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("LOSS in held", True),
        ("held", True),
        ("len(held) == 1", True),
        ("State()", False),
        ("len(State())", False),
    ],
)
def test_conditions_on_them_are_known(condition: str, holds: bool) -> None:
    text = f"held = State()\nheld[LOSS] = weight\nif {condition}:\n    constant.backward()\n"
    assert certain(CLASSES + text) == (RAISES if holds else [])


def test_a_copy_is_filled_apart() -> None:
    text = """
import copy
held = State()
held[LOSS] = weight
other = copy.copy(held)
other[LOSS] = constant
held[LOSS].backward()
"""
    assert certain(CLASSES + text) == []
    assert certain(CLASSES + text + "other[LOSS].backward()\n") == RAISES


def test_objects_that_a_harness_makes_may_hold_anything() -> None:
    text = """
class Step(dict):
    def run(self, optimizer):
        loss = torch.zeros(1)
        for part in self:
            loss = torch.ones(1, requires_grad=True).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""
    assert certain(text) == []


ORDERED = """
from collections import OrderedDict
def pairs():
    for pair in library.pairs():
        yield pair
held = {made}
torch.autograd.grad(torch.ones(1, requires_grad=True).exp(), held.values())
"""


@pytest.mark.parametrize(
    ("made", "raises"),
    [("OrderedDict(pairs())", []), ("dict(pairs())", []), ("OrderedDict([])", ["other"])],
)
def test_a_dictionary_of_unknown_pairs_is_not_empty(made: str, raises: list[str]) -> None:
    assert certain(ORDERED.format(made=made)) == raises


LISTS = """
class Kept(list):
    def __init__(self, *first):
        super().__init__(first)
    def append(self, value):
        super().append((value,))
"""


@pytest.mark.parametrize(
    "taken",
    [
        "kept = Kept(1)\nkept.append(h)\ng = kept[-1][0]",
        "kept = Kept(h, 1)\ng, _ = kept",
        "kept = Kept(1)\nkept[0] = h\nfor g in kept: pass",
        "kept = Kept(h)\ng = h if kept and len(kept) == 1 and 1 not in kept else None",
        "g = Kept(1, h).pop()",
    ],
)
def test_a_list_of_the_program_holds_what_it_is_given(taken: str) -> None:
    assert certain(taking(taken, LISTS)) == ["saved-tensor-modified"]


def test_the_constructor_of_a_defaultdict_is_given_what_makes_missing_values() -> None:
    text = """
from collections import defaultdict
class Totals(defaultdict):
    def __init__(self):
        super().__init__({factory})
totals = Totals()
totals["loss"] = totals["loss"] + {loss}
totals["loss"].backward()
"""
    assert certain(CLASSES + text.format(factory="int", loss="constant")) == RAISES
    assert certain(CLASSES + text.format(factory="int", loss="weight.sum()")) == []
    assert certain(CLASSES + text.format(factory="lambda: weight.sum()", loss="constant")) == []
