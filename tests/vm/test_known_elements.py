"""Sets and orders of plain constants."""

import pytest

from tests.vm.running import certain, faults

LEAF = "a = torch.ones(3, requires_grad=True)\n"


@pytest.mark.parametrize(
    "condition",
    [
        "len(set('abca')) == 3",
        "sorted(set('cab') - set('c'))[0] == 'a'",
        "'a' not in {'a', 'b'} & {'b'}",
        "'a' in {'a'}.union({'b'})",
        "sorted([3, 1, 2])[0] == 1",
        "sorted({'b': 1, 'a': 2}, reverse=True)[0] == 'b'",
        "dict(zip(sorted({'k', 'i'}), 'ab'))['i'] == 'a'",
    ],
)
def test_sets_and_orders_of_constants_are_known(condition: str) -> None:
    assert certain(f"{LEAF}if {condition}:\n    a += 1\n") == ["leaf-modified"]


def test_a_list_is_sorted_in_place() -> None:
    text = f"{LEAF}names = ['b', 'a']\nnames.sort()\nif names[0] == 'a':\n    a += 1\n"
    assert certain(text) == ["leaf-modified"]


@pytest.mark.parametrize("options", [", key=str.lower", ", reverse=back"])
def test_by_what_is_not_known_nothing_is_put_in_order(options: str) -> None:
    text = f"import sys\n{LEAF}back = len(sys.argv) > 1\n"
    assert certain(f"{text}if sorted([2, 1]{options})[0] == 1:\n    a += 1\n") == []


def test_a_set_with_something_unknown_in_it_stays_unknown() -> None:
    text = f"import sys\n{LEAF}names = {{'a', sys.argv[1]}} - {{'a'}}\n"
    assert len(faults(f"{text}if 'a' not in names:\n    a += 1\n")) == 0


SPLIT = """
whole = nn.ModuleDict({"body": nn.Linear(2, 2), "head": nn.Linear(2, 1)})
head = whole["head"]
others = {others}
whole["body"].weight.requires_grad_()
if len(others) == 2 and others[0] is whole["body"].weight:
    whole["body"].weight += 1
"""


@pytest.mark.parametrize(
    "others",
    [
        "[p for p in whole.parameters() if p not in set(head.parameters())]",
        "list(set(whole.parameters()) - set(head.parameters()))",
        "[p for p in whole.parameters() if id(p) not in {id(one) for one in head.parameters()}]",
        "[p for p in whole.parameters() if id(p) not in list(map(id, head.parameters()))]",
        "list(filter(lambda p: p not in set(head.parameters()), whole.parameters()))",
    ],
)
def test_parameters_are_told_apart_in_sets_and_by_their_numbers(others: str) -> None:
    assert certain(SPLIT.replace("{others}", others)) == ["leaf-modified"]


def test_a_filter_that_is_not_decided_keeps_all() -> None:
    asked = "list(filter(lambda p: p.norm() > 1, whole.parameters()))[:2]"
    assert certain(SPLIT.replace("{others}", asked)) == ["leaf-modified"]
