"""What names stand for, by their use."""

import ast

import pytest

from autograd_lint.live.confirm.recipes import Recipe
from autograd_lint.live.confirm.uses import recipes_for, with_structures


def kinds(source: str, *names: str) -> dict[str, str]:
    return {key: one.kind for key, one in recipes_for([ast.parse(source)], names).items()}


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("y = x.sum()", "tensor"),
        ("y = x[1:]", "tensor"),
        ("y = x(z)", "function"),
        ("for one in x: pass", "tensors"),
        ("y = z[x]", "number"),
        ("y = z.view(x, -1)", "number"),
        ("x.append(y)", "list"),
        ("x.update(loss=y)", "dictionary"),
        ("x[f'{name}_loss'] = y", "dictionary"),
    ],
)
def test_kind(source: str, kind: str) -> None:
    assert kinds(source, "x") == {"x": kind}


def test_members_and_items() -> None:
    source = "y = self.layer(self.scale.exp()) + batch['image'].mean() + batch['target']"
    assert kinds(source, "self", "batch") == {
        "self": "object",
        "self.layer": "function",
        "self.scale": "tensor",
        "batch": "dictionary",
        "batch[image": "tensor",
        "batch[target": "tensor",
    }


def test_names_that_promise_a_kind_keep_it_unless_used_otherwise() -> None:
    assert kinds("optimizer.step(); model.train(); y = net.weights.sum()", "optimizer", "net") == {
        "optimizer": "optimizer",
        "net": "object",
        "net.weights": "tensor",
    }


def test_only_parameters_with_members_get_a_structure() -> None:
    node = ast.parse("def f(batch, x, cfg):\n    return batch.image * x.sum() * cfg.scale\n")
    recipes = {name: Recipe("tensor") for name in ("batch", "x", "cfg")}
    found = with_structures(recipes, node)
    assert {name: one.kind for name, one in found.items()} == {
        "batch": "object",
        "batch.image": "tensor",
        "x": "tensor",
        "cfg": "tensor",
    }
