"""The command `trace`."""

import click

from autograd_lint.errors import Trouble


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("-m", "module", metavar="MODULE", help="Run a module, as `python -m` does.")
@click.argument("script", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT [ARGS]...")
def trace(module: str | None, script: tuple[str, ...]) -> None:
    """Run a program under the real engine's tracer."""
    raise Trouble("`trace` is not available in this version yet; run `autograd-lint check`")
