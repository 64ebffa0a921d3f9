"""Methods of texts that are known."""

import pytest

from tests.vm.running import certain

LEAF = "a = torch.ones(3, requires_grad=True)\nmany = ['x'] * 3\n"


@pytest.mark.parametrize(
    "condition",
    [
        "'ij->i'.split('->')[1] == 'i'",
        "''.join(c for c in 'abc' if c != 'b') == 'ac'",
        "'-'.join(['a', 'b']) == 'a-b'",
        "'a.b.c'.rpartition('.')[0] == 'a.b'",
        "'layer{}.{}'.format(2, 'weight') == 'layer2.weight'",
        "'model.weight'.removeprefix('model.') == 'weight'",
        "'a.b'.count('.') == 1",
        "not 'abc'.isdigit()",
    ],
)
def test_a_method_of_a_known_text_is_carried_out(condition: str) -> None:
    assert certain(f"{LEAF}if {condition}:\n    a += 1\n") == ["leaf-modified"]


@pytest.mark.parametrize("made", ["'a'.index('b')", "'{:9999}'.format('a')", "'a'.join([1])"])
def test_what_raises_or_grows_is_not_known(made: str) -> None:
    assert certain(f"{LEAF}if {made} == 'a':\n    a += 1\n") == []
