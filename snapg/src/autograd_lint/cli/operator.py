"""The command `operator`: what the measured table says about an operator."""

import click

from autograd_lint.errors import Trouble


@click.command()
@click.argument("name")
def operator(name: str) -> None:
    """What an operator saves, modifies and aliases, as measured on torch.

    NAME is as in a program (`torch.sigmoid`, `torch.nn.Linear`), or short (`sigmoid`, `add_`).
    """
    from autograd_lint.operators import describe, table

    operators = table.load()
    dotted = (
        name,
        f"torch.{name}",
        f"torch.Tensor.{name}",
        f"torch.nn.{name}",
        f"torch.nn.functional.{name}",
    )
    found = next((one for one in map(operators.find, dotted) if one is not None), None)
    if found is None:
        raise Trouble(f"unknown operator `{name}`; {_hint(name, list(operators))}")
    click.echo(describe.describe(found))


def _hint(name: str, known: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name.removeprefix("torch."), known, n=1)
    return f"did you mean `{close[0]}`?" if close else "write it as a program does: `torch.sigmoid`"
