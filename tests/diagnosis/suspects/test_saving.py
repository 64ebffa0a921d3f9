"""What keeps a tensor that it is given, by its form."""

import ast

import pytest

from autograd_lint.diagnosis.suspects.saving import saves


@pytest.mark.parametrize(
    "code", ["x * w", "x[0] / w", "w @ x.t()", "x.sin()", "net(x)", "torch.matmul(w, x)", "w[x]"]
)
def test_an_operand_is_kept(code: str) -> None:
    assert saves(ast.parse(code, mode="eval").body, "x")


@pytest.mark.parametrize(
    "code",
    [
        "x + w",
        "2 * x",
        "x / 2.0",
        "x.view(-1)",
        "x > 0",
        "len(x)",
        "x.size(0)",
        "torch.add(x, w)",
        "x.exp()",
    ],
)
def test_sums_views_looks_and_what_keeps_its_result_do_not_keep_it(code: str) -> None:
    assert not saves(ast.parse(code, mode="eval").body, "x")
