"""The dense text of forms is read back as it was written."""

import pytest

from autograd_lint.operators import facts
from autograd_lint.operators.encoding import decode, encode
from autograd_lint.operators.facts import Alias, AliasKind, Form, Gap, GapKind, Output, Save
from autograd_lint.operators.table import load

EVERYTHING = Form(
    tests=(
        facts.Test("1", frozenset({"number", "zero"})),
        facts.Test("mode", frozenset({"=mean"})),
    ),
    saves=(Save("0", frozenset({"1", "weight"})), Save("out0", sure=False), Save("1")),
    frees=True,
    modifies=("0", "running_mean"),
    bumps=False,
    differentiable=frozenset({"0", "weight"}),
    outputs=(
        Output(True, "same", "broadcast", Alias("0", AliasKind.MULTI_VIEW, sure=False)),
        Output(False, "int", "scalar"),
    ),
    gaps=(Gap("0", GapKind.REFUSED), Gap("weight", GapKind.ONCE, sure=False)),
    curved=True,
    unversioned=("running_var", "2"),
)


@pytest.mark.parametrize("form", [EVERYTHING, Form(), Form(differentiable=frozenset(), outputs=())])
def test_a_form_is_read_back(form: Form) -> None:
    assert decode(encode(form)) == form


@pytest.mark.parametrize("kind", list(AliasKind))
def test_every_kind_of_alias_is_read_back(kind: AliasKind) -> None:
    form = Form(outputs=(Output(True, alias=Alias("0", kind)),))
    assert decode(encode(form)) == form


def test_every_shipped_form_is_written_as_it_was_read() -> None:
    table = load()
    for name in table:
        for form in table.operator(name).forms:
            assert decode(encode(form)) == form
