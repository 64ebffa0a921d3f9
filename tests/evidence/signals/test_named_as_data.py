"""Names that programs give to data."""

import pytest

from tests.vm.running import kinds

SCALED = """
def scaled({name}):
    y = {name}.exp()
    y += 1
    return y.mul_(2)
"""


@pytest.mark.parametrize(
    "name", ["labels", "X", "image_batch", "wordIds", "next_obs", "target", "past_data", "grad"]
)
def test_what_is_named_as_data_requires_no_grad(name: str) -> None:
    assert kinds(SCALED.format(name=name)) == []


@pytest.mark.parametrize("name", ["x", "features", "maskable", "image", "data"])
def test_other_names_say_nothing(name: str) -> None:
    assert kinds(SCALED.format(name=name)) == ["saved-tensor-modified"]


HELD = """
def scaled(data):
    y = data.{name}.exp()
    y += 1
    return y.mul_(2)
"""


@pytest.mark.parametrize(("name", "told"), [("pos", True), ("labels", False)])
def test_what_an_object_called_data_holds_has_a_name_of_its_own(name: str, told: bool) -> None:
    assert kinds(HELD.format(name=name)) == ["saved-tensor-modified"] * told


PARTS = """
def scaled(outputs):
    y = outputs[{key}].exp()
    y += 1
    return y.mul_(2)
"""


@pytest.mark.parametrize(("key", "found"), [("'mask'", []), ("'x'", ["saved-tensor-modified"])])
def test_a_key_is_a_name_as_well(key: str, found: list[str]) -> None:
    assert kinds(PARTS.format(key=key)) == found
