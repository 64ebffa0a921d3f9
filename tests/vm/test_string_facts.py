"""Texts of which some letters were taken out, or only parts are known."""

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.project.source import Source
from autograd_lint.vm.string_facts import (
    HOLE,
    LONGEST_OUTLINE,
    key_fitting,
    key_under,
    keys_of,
    outline,
    outlined,
)
from tests.vm.running import HEAD, faults, kinds

ASKED = """
w = torch.ones(3, requires_grad=True)
order = str(library.order)
plain = {plain}
"""
WAYS = [
    "if 'r' in plain:\n    w += 1\n",
    "for letter in plain:\n    if letter == 'r':\n        w += 1\n",
    "for i, letter in enumerate(plain):\n    if letter == 'r':\n        w += 1\n",
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("plain", "found"),
    [
        ("order", True),
        ("order.replace('r', '')", False),
        ("order.replace('r', 'l').replace('l', '')", False),
        ("order.replace('r', '').replace('l', 'r')", True),
        ("order.replace('lr', '')", True),
        ("order.replace(library.letter, '')", True),
    ],
)
def test_a_letter_that_is_not_there_any_more(plain: str, way: str, found: bool) -> None:
    assert ("leaf-modified" in kinds(ASKED.format(plain=plain) + way)) is found


LAYER = """
class Net(nn.Module):
    def __init__(self, dimensions, kind):
        super().__init__()
        self.layer = getattr({package}, {name})(3, 3, 3)
        self.activation = nn.Tanh()

    def forward(self, x):
        x = self.activation(self.layer(x))
        x += 1
        return x
"""


def assumed(package: str, name: str) -> set[Kind]:
    """What the fault in a module with such a layer rests on."""
    (fault,) = analyse(Source("a.py", HEAD + LAYER.format(package=package, name=name)))
    return {assumption.kind for assumption in fault.assumptions}


@pytest.mark.parametrize(
    "name",
    [
        "f'Conv{dimensions}d'",
        "'Conv{}d'.format(dimensions)",
        "'Conv%dd' % dimensions",
        "'Conv%s%s' % (dimensions, 'd')",
        "'Conv' + str(dimensions) + 'd'",
        "'{}{}d'.format('Conv', dimensions)",
        "f'Conv{dimensions}' + 'd'",
    ],
)
def test_a_layer_by_the_number_of_its_dimensions_is_a_layer(name: str) -> None:
    assert assumed("nn", name) == {Kind.RESULT_TRAINED}


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("nn", "f'{kind}{dimensions}d'"),  # of which many have no parameters
        ("nn", "f'ReLU{dimensions}'"),  # which is one alone
        ("nn", "kind"),
        ("nn", "'Conv%5dd' % dimensions"),
        ("library", "f'Conv{dimensions}d'"),
    ],
)
def test_which_layer_is_meant_is_not_known(package: str, name: str) -> None:
    assert Kind.HAS_REQUIRING_PARAMETERS in assumed(package, name)


PARTS = """
class Net(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        for i, size in enumerate(sizes):
            {put}f"{name}", nn.Sequential(nn.Linear(size, size), nn.Tanh()))

    def forward(self, x, i):
        x = {got}(x)
        x += 1
        return x
"""


def alone(text: str) -> set[Kind]:
    """What the faults of a program rest on."""
    return {one.kind for fault in faults(text) for one in fault.assumptions}


@pytest.mark.parametrize("put", ["self.add_module(", "setattr(self, ", "self.__setattr__("])
@pytest.mark.parametrize(
    ("name", "got"),
    [
        ("layer{i}", "getattr(self, f'layer{i}')"),
        ("layer{i}", "getattr(self, 'layer' + str(i - 1))"),
        ("layer{i}", "self.__getattr__(f'layer{i}')"),
        ("layer{i}", "self.layer0"),
        ("{i}_layer", "getattr(self, f'{i}_layer')"),
    ],
)
def test_what_was_put_under_a_name_is_found_under_its_like(put: str, name: str, got: str) -> None:
    assert alone(PARTS.format(put=put, name=name, got=got)) == {Kind.RESULT_TRAINED}


@pytest.mark.parametrize("got", ["getattr(self, f'block{i}')", "self.block0", "getattr(self, i)"])
def test_what_was_put_under_a_name_is_not_found_under_another(got: str) -> None:
    text = PARTS.format(put="self.add_module(", name="layer{i}", got=got)
    assert alone(text) != {Kind.RESULT_TRAINED}


UNLIKE = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer_a, self.layer_b = nn.Linear(3, 3), {other}
        self.activation = nn.Tanh()

    def forward(self, x, kind):
        x = self.activation(getattr(self, f"layer_{{kind}}")(x))
        x += 1
        return x
"""


def test_which_of_several_unlike_parts_is_meant_is_not_known() -> None:
    assert alone(UNLIKE.format(other="nn.Linear(3, 3)")) == {Kind.RESULT_TRAINED}
    assert alone(UNLIKE.format(other="nn.Identity()")) != {Kind.RESULT_TRAINED}


def test_a_long_outline_is_not_kept() -> None:
    assert outline(outlined(f"{HOLE}{'a' * LONGEST_OUTLINE}", "t")) == HOLE


@pytest.mark.parametrize(
    ("shape", "name", "fits"),
    [
        (f"layer{HOLE}", "layer3", True),
        (f"layer{HOLE}", "lay", False),
        (f"{HOLE}_{HOLE}.weight", "a_1.weight", True),
        (f"{HOLE}_{HOLE}.weight", "a1.weight", False),
        (f"a{HOLE}a", "a", False),
    ],
)
def test_a_name_fits_an_outline_with_its_parts_in_their_order(
    shape: str, name: str, fits: bool
) -> None:
    text = outlined(shape, "t")
    assert list(keys_of(text, [name])) == [name] * fits
    key = key_under(text, 0)
    assert key_fitting(name, [key]) == (key if fits else None)


def test_what_many_holes_ask_for_is_looked_for_once() -> None:
    shape = f"a{HOLE}" * (LONGEST_OUTLINE // 2)
    assert list(keys_of(outlined(shape, "t"), ["a" * 400 + "b"])) == []
