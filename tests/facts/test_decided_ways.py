"""What hangs on a decision, and what the way to a statement behind it asks for."""

import ast
from textwrap import dedent

import pytest

from autograd_lint.facts.decided_ways import asked_on_way, changed_by
from autograd_lint.project.source import Source


def leads(body: str) -> bool:
    """Whether the first `if` of a function may decide whether the call of `goal` is reached."""
    text = "import torch\ndef f(self, x, a, b):\n" + dedent(body).replace("\n", "\n    ")
    source = Source("a.py", text)
    function = source.tree.body[1]
    first = next(one.lineno for one in source.each(ast.If))
    goal = next(row for row, line in enumerate(source.lines, 1) if "goal(" in line)
    changed, asked = changed_by(source, function, first), asked_on_way(function, goal, first)
    return changed is None or asked is None or not changed.isdisjoint(asked)


@pytest.mark.parametrize(
    "body",
    [
        "\nif a:\n    return x\ngoal(x)",
        "\nif a:\n    x = 1\nif x:\n    goal(b)",
        "\nif a:\n    x = 1\ny = x + 1\nwhile y:\n    goal(b)",
        "\nif a:\n    self.on = True\nif self.on:\n    goal(b)",
        "\nif a:\n    b.append(1)\nfor one in b:\n    goal(one)",
        "\nif a:\n    x = 1\nif x:\n    return b\ngoal(b)",
        "\nfor x in b:\n    if a:\n        x = 1\n    if x:\n        goal(b)",
        "\nif a:\n    x = 1\ntry:\n    b()\nexcept ValueError:\n    goal(b)",
        "\nif a:\n    goal(b)",
    ],
)
def test_what_leaves_or_binds_what_a_condition_asks_for_leads_to_a_statement(body: str) -> None:
    assert leads(body)


@pytest.mark.parametrize(
    "body",
    [
        "\nif a:\n    x = torch.exp(x)\nif b:\n    goal(x)",
        "\nif a:\n    print(b)\nif b:\n    goal(x)",
        "\nif a:\n    x = 1\ngoal(x)",
        "\nfor one in b:\n    if a:\n        x = 1\n    if b:\n        goal(x)",
    ],
)
def test_what_binds_other_names_does_not(body: str) -> None:
    assert not leads(body)
