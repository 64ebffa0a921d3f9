"""JupyterLab: what tells jupyter-lsp how to start the language server."""

import sys
from importlib.util import find_spec

from autograd_lint import addresses

NAME = "autograd-lint"


def servers(manager: object) -> dict[str, dict[str, object]]:
    """The server for the manager of jupyter-lsp; none where the extra `server` is not installed."""
    if find_spec("pygls") is None:
        return {}
    return {
        NAME: {
            "version": 2,
            "argv": [sys.executable, "-m", "autograd_lint", "server"],
            "languages": ["python"],
            "mime_types": ["text/x-python", "text/x-ipython"],
            "display_name": NAME,
            "urls": {"home": addresses.DOCUMENTATION, "issues": f"{addresses.REPOSITORY}/issues"},
        }
    }
