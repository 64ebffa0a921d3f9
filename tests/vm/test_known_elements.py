"""Sets and orders of plain constants."""

import pytest

from tests.vm.running import certain, faults, kinds

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
        "len({'a', 'b', 'a'}) == 2",
        "len({one for one in ('a', 'b', 'a')}) == 2",
    ],
)
def test_sets_and_orders_of_constants_are_known(condition: str) -> None:
    assert certain(f"{LEAF}if {condition}:\n    a += 1\n") == ["leaf-modified"]


@pytest.mark.parametrize("adding", ["names.add('%s.%s' % (one, one))", "names.update([one + '.'])"])
def test_a_set_takes_equal_constants_once(adding: str) -> None:
    text = f"{LEAF}names = set()\nfor one in ('a', 'b', 'a'):\n    {adding}\n"
    assert certain(f"{text}if len(names) == 2:\n    a += 1\n") == ["leaf-modified"]


LAYERS = """
net = nn.Sequential(*[nn.Sequential(nn.Linear(3, 3), nn.LayerNorm(3)) for _ in range(16)])
decayed = set()
for prefix, module in net.named_modules():
    for name, parameter in module.named_parameters():
        full = "%s.%s" % (prefix, name) if prefix else name
        if name.endswith("weight") and isinstance(module, (nn.Linear, nn.LayerNorm)):
            decayed.add(full)
names = sorted(list(decayed))
if {condition}:
    a += 1
"""


@pytest.mark.parametrize("condition", ["len(names) == 32", "'15.1.weight' in decayed"])
def test_loops_that_only_sort_names_go_to_the_end_of_long_containers(condition: str) -> None:
    assert certain(LEAF + LAYERS.format(condition=condition)) == ["leaf-modified"]


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


BESIDE_UNSEEN = """
from unseen_package import Layer
body, head, unseen = nn.Linear(2, 2), nn.Linear(2, 1), Layer()
whole = nn.ModuleList([body, head, unseen])
one = torch.optim.Adam(OTHERS, lr=0.1)
other = torch.optim.Adam(head.parameters(), lr=0.1)
for _ in range(3):
    one.zero_grad()
    other.zero_grad()
    head(body(torch.ones(3, 2))).mean().backward()
    one.step()
    other.step()
"""


@pytest.mark.parametrize(
    ("others", "told"),
    [
        ("set(whole.parameters()) - set(head.parameters())", []),
        ("set(whole.parameters()).difference(head.parameters())", []),
        ("set(whole.parameters()) ^ set(head.parameters())", []),
        ("set(whole.parameters()) - set(body.parameters())", ["stepped-twice"]),
        ("set(body.parameters()) | set(whole.parameters())", ["stepped-twice"]),
        ("set(whole.parameters()) & set(head.parameters())", ["stepped-twice"]),
    ],
)
def test_sets_are_told_apart_though_a_part_of_the_module_is_not_seen(
    others: str, told: list[str]
) -> None:
    assert kinds(BESIDE_UNSEEN.replace("OTHERS", others)) == told


def test_what_may_be_left_of_a_set_that_is_not_seen_whole_is_not_taken_for_nothing() -> None:
    others = "set(whole.parameters()) - set(body.parameters()) - set(head.parameters())"
    text = f"{BESIDE_UNSEEN.replace('OTHERS', others)}if {others}:\n    body.weight += 1\n"
    assert "leaf-modified" in kinds(text)
