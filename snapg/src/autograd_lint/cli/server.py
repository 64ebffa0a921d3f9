"""The command `server`."""

import click

from autograd_lint.errors import Trouble

_NEEDED = ("pygls", "lsprotocol", "attrs", "cattrs")


@click.command()
def server() -> int:
    """Language server on stdio."""
    try:
        from autograd_lint.server.serving import serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in _NEEDED:
            raise
        raise Trouble(
            f"the language server needs {error.name}; "
            "install it with `pip install 'autograd-lint[server]'`"
        ) from None
    return serve()
