"""The command `operator`: what the measured table says about an operator."""

from typing import TYPE_CHECKING

import click

from autograd_lint.errors import Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autograd_lint.operators.facts import Operator
    from autograd_lint.operators.table import Table


@click.command()
@click.argument("name")
@click.option("--target-torch", metavar="X.Y", help="The version of torch; default: the newest.")
def operator(name: str, target_torch: str | None) -> None:
    """What an operator saves, modifies and aliases, as measured on torch.

    NAME is as in a program (`torch.sigmoid`, `torch.nn.Linear`), or short (`sigmoid`, `add_`).
    What other versions of torch do differently is said below.
    """
    from autograd_lint.checking.configured import require_measured
    from autograd_lint.operators import describe, table
    from autograd_lint.operators.history import spans

    if target_torch is not None:
        require_measured(target_torch)
    version = target_torch or table.versions()[-1]
    found = _found(table.load(version), name)
    if found is None:
        elsewhere = [one for one in table.versions() if _found(table.load(one), name)]
        if elsewhere:
            when = " and ".join(spans(elsewhere))
            raise Trouble(f"torch {version} has no operator `{name}`; it is there {when}")
        raise Trouble(f"unknown operator `{name}`; {_hint(name, list(table.load(version)))}")
    click.echo(describe.describe(found))
    for line in _elsewhere(found):
        click.echo(line)


def _found(operators: "Table", name: str) -> "Operator | None":
    """The operator of a name as in a program, or short."""
    homes = ("", "torch.", "torch.Tensor.", "torch.nn.", "torch.nn.functional.")
    found = (operators.find(home + name) for home in homes)
    return next((one for one in found if one is not None), None)


def _elsewhere(operator: "Operator") -> "Iterator[str]":
    """What other versions of torch do."""
    from autograd_lint.operators.describe import describe
    from autograd_lint.operators.history import eras

    for era in eras(operator.name):
        if era.operator is None:
            yield f"torch {era} has no such operator."
        elif era.operator != operator:
            yield f"on torch {era}: {describe(era.operator)}"


def _hint(name: str, known: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name.removeprefix("torch."), known, n=1)
    return f"did you mean `{close[0]}`?" if close else "write it as a program does: `torch.sigmoid`"
