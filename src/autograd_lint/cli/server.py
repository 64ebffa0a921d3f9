"""The command `server`."""

import click

from autograd_lint.errors import Trouble


@click.command()
def server() -> None:
    """Language server on stdio."""
    raise Trouble(
        "the language server is not available in this version yet; run `autograd-lint check`"
    )
