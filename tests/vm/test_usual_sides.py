"""Which side of an unknown `if` a run takes first."""

import pytest

from autograd_lint.engine.faults import FaultKind
from tests.vm.running import faults, kinds

CHECKED = """
def check(edges):
    if isinstance(edges, torch.Tensor):
        assert edges.dtype == torch.long
        return edges
    elif isinstance(edges, tuple):
        return edges[0]
    {then}

class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def forward(self, x, edges):
        out = torch.relu(self.lin(x))
        check(edges)
        out += 1
        return out
"""


def test_what_would_only_raise_is_not_the_usual_side() -> None:
    text = CHECKED.format(then="raise ValueError('edges')")
    assert kinds(text) == [FaultKind.SAVED_TENSOR_MODIFIED.value]


def test_who_leaves_early_is_not_the_usual_one_else() -> None:
    text = """
def clipped(x, least):
    y = torch.exp(x)
    if least is None:
        return y
    y += 1
    return y.sum()
"""
    assert kinds(text) == [FaultKind.SAVED_TENSOR_MODIFIED.value]


KIND = """
class Kind:
    pass

class Turned(Kind):
    pass

def is_turned(kind):
    if isinstance(kind, {asked}):
        return kind == 1
    return kind in (1, 2)

def turned(x, kind: {written}):
    y = x.sigmoid()
    if is_turned(kind):
        raise ValueError(kind)
    if isinstance(kind, str):
        kind = library.kinds[kind]
    if kind == 1:
        y += 1
    return y
"""


def test_an_argument_is_what_it_is_annotated_with() -> None:
    found = ["saved-tensor-modified"]
    assert kinds(KIND.format(asked="Kind", written="Kind")) == []
    assert kinds(KIND.format(asked="Kind", written="Turned")) == []
    assert kinds(KIND.format(asked="Kind", written="object")) == found
    assert kinds(KIND.format(asked="Turned", written="library.Kind")) == found


CASES = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--kind", default="c")
kind = parser.parse_args().kind
layers = []
if kind == "a":
    layers.append(nn.Linear(3, 3))
elif kind == "b":
    layers.append(nn.Linear(3, 4))
elif {last}:
    layers.append(nn.Linear(3, 5))
torch.optim.SGD(nn.Sequential(*layers).parameters(), lr=0.1)
"""


@pytest.mark.parametrize(("last", "found"), [('kind == "c"', []), ('kind > "c"', ["other"])])
def test_the_cases_that_are_asked_for_are_all_that_there_are(last: str, found: list[str]) -> None:
    assert kinds(CASES.format(last=last)) == found


MOVED = """
def moved(batch):
    {go_on}

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, batch):
        return self.layer(batch["query"]["x"].cuda())

model = Model()
for batch in load():
    model(moved(batch)).sum().backward()
"""


@pytest.mark.parametrize(
    "go_on",
    [
        "if isinstance(batch, dict):\n        return {k: moved(v) for k, v in batch.items()}\n"
        "    else:\n        return batch.cuda()",
        "if not isinstance(batch, dict):\n        return batch.cuda()\n"
        "    return {k: moved(v) for k, v in batch.items()}",
    ],
)
def test_a_function_that_has_called_itself_comes_to_an_end(go_on: str) -> None:
    assert kinds(MOVED.format(go_on=go_on)) == []


# Fails where neither `mask` nor `again` is given and `flag` is set: no path that gives all of them,
# or none, has it, nor one step away from these.
LEFT_OUT = """
class Scaled:
    def __init__(self, {mask}, {again}, flag=True):
        self.mask = mask
        self.again = again
        self.flag = flag

    def of(self, x):
        y = x.exp()
        if self.mask is not None:
            y = y.clone()
        if self.again:
            y = y.clone()
        if self.flag:
            y.mul_(2)
        return y
"""


@pytest.mark.parametrize(
    ("mask", "again", "found"),
    [
        ("mask=None", "again=None", ["saved-tensor-modified"]),
        ("mask", "again", []),
    ],
)
def test_an_option_that_is_none_by_default_is_not_given_as_a_rule(
    mask: str, again: str, found: list[str]
) -> None:
    assert kinds(LEFT_OUT.format(mask=mask, again=again)) == found


GUARDED = """
class Scaled:
    def __init__(self, mask=None, other=None):
        {guard}
        self.mask = mask

    def of(self, x):
        y = x.exp()
        y.mul_(2)
        if self.mask is not None:
            return y
        return x
"""


@pytest.mark.parametrize(
    "guard",
    [
        "if mask is None:\n            raise ValueError",
        "if not mask:\n            raise ValueError",
        "assert mask is not None",
        "assert not (mask is None or other is None)",
    ],
)
def test_it_is_given_where_the_program_would_end_without(guard: str) -> None:
    (fault,) = faults(GUARDED.format(guard=guard))
    assert all(why.condition is None for why in fault.assumptions)


PARTED = """
class Loaders:
    def __init__(self, config):
        self.sampler = config["sampler"]

    def second(self):
        if self.sampler is None:
            return None
        else:
            return [self.sampler]

def run(config, x):
    y = torch.exp(x)
    if Loaders(config).second() is not None:
        y += 1
    return y.sum()
"""


def test_where_both_sides_leave_the_one_of_a_missing_value_is_not_the_usual_one() -> None:
    assert kinds(PARTED) == [FaultKind.SAVED_TENSOR_MODIFIED.value]


def test_what_a_class_of_a_package_makes_is_not_none() -> None:
    text = """
from package import Sampler
sampler = Sampler(10)
y = torch.exp(torch.ones(1, requires_grad=True))
if sampler is None:
    y += 1
y.sum().backward()
"""
    assert kinds(text) == []
    assert kinds(text.replace("is None", "is not None")) == [FaultKind.SAVED_TENSOR_MODIFIED.value]


BOUNDED = """
def step(encoder, loader, size):
    bank = []
    optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
    for x in loader:
        z = encoder(x).exp()
        loss = z.mean()
        if bank:
            loss = loss + (z @ bank[-1]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        bank.append({kept})
        if {full}:
            bank.pop(0)
"""


@pytest.mark.parametrize("full", ["len(bank) > size", "len(bank) == size"])
def test_a_list_with_a_limit_usually_has_room(full: str) -> None:
    assert "graph-freed" in kinds(BOUNDED.format(kept="z", full=full))
    assert "graph-freed" not in kinds(BOUNDED.format(kept="z.detach()", full=full))
