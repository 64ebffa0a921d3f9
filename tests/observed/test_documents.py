"""Facts of runs as JSON."""

import json
from contextlib import suppress

import pytest

from autograd_lint.observed.calls import Call, Key, Observed
from autograd_lint.observed.documents import VERSION, observed_in, text_of
from autograd_lint.observed.values import Named, Object, Plain, Sequenced, Tensor

TENSOR = Tensor("float32", requires_grad=True, made_by="sigmoid", view_of="y", shape=(None, 3))
CALL = Call(
    Named((("x", TENSOR), ("n", Plain("int")), ("net", Object("a.Net", module=True)))),
    own=Named((("items", Sequenced("list", (Plain("none"),), more=True)),), more=True),
    returned=Tensor("int64", leaf=True, parameter=True),
    grad_mode=False,
    trained=True,
    times=7,
)


def test_what_is_written_is_read() -> None:
    kept = Observed({Key("a.py", "f", "12"): [CALL], Key("a.py", "g", "34"): [Call(Named(()))]})
    found = observed_in(text_of(kept))
    assert found == kept
    again = found.functions[Key("a.py", "f", "12")][0]
    assert (again.times, again.trained) == (7, True)
    assert again.arguments.entries[0][1].shape == (None, 3)  # type: ignore[union-attr]


def test_the_order_in_which_things_were_seen_does_not_matter() -> None:
    one, other = Call(Named((("x", TENSOR),))), Call(Named((("x", Plain("none")),)))
    keys = Key("a.py", "f", "12"), Key("a.py", "g", "34")
    first = Observed({keys[0]: [one, other], keys[1]: [one]})
    second = Observed({keys[1]: [one], keys[0]: [other, one]})
    assert text_of(first) == text_of(second)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[]", "these are no recorded facts"),
        ('{"version": 1}', "these are no recorded facts"),
        (
            '{"kind": "autograd-lint facts", "version": 99}',
            f"version 99 is not known, {VERSION} is",
        ),
        ('{"kind": "autograd-lint facts", "version": 1}', "a function in it is damaged"),
    ],
)
def test_what_is_none_is_told(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        observed_in(text)


def damaged() -> list[str]:
    """A document with each of its values in turn put in the place of another kind of value."""
    text = text_of(Observed({Key("a.py", "f", "12"): [CALL]}))
    found = []

    def walk(part: object) -> None:
        for key in list(part) if isinstance(part, dict) else range(len(part)):  # type: ignore[arg-type]
            kept = part[key]  # type: ignore[index]
            if key in ("kind", "version"):
                continue
            for wrong in ({}, 1.5):
                part[key] = wrong  # type: ignore[index]
                found.append(json.dumps(document))
            part[key] = kept  # type: ignore[index]
            if isinstance(kept, (dict, list)):
                walk(kept)

    document = json.loads(text)
    walk(document)
    return found


def test_no_damage_is_a_crash() -> None:
    texts = damaged()
    assert len(texts) > 60
    for text in texts:
        with suppress(ValueError):
            observed_in(text)
