"""Where the files of a run are checked: `--executor NAME`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from autograd_lint.errors import Trouble

if TYPE_CHECKING:
    from concurrent.futures import Executor

PROCESSES = "processes"
_DASK = "dask://"
_PATIENCE = 10  # seconds for a scheduler to answer


def refuse_unknown(name: str) -> None:
    """Raise Trouble for an executor that there is not."""
    if name != PROCESSES and not name.startswith(_DASK):
        raise Trouble(f"--executor {name}: choose `{PROCESSES}`, or `{_DASK}HOST:PORT`")


@contextmanager
def connected(name: str) -> Iterator[Executor]:
    """The workers of the cluster of `dask://HOST:PORT`; raises Trouble where none can be had."""
    try:
        from distributed import Client
    except ImportError:
        raise Trouble(
            f"--executor {name}: install distributed with `pip install 'autograd-lint[dask]'`"
        ) from None
    try:
        client = Client(f"tcp://{name.removeprefix(_DASK)}", timeout=_PATIENCE)
    except (OSError, ValueError):
        raise Trouble(f"--executor {name}: no scheduler of dask answers there") from None
    with client:
        if not client.nthreads():
            raise Trouble(f"--executor {name}: the cluster has no workers; start some")
        with client.get_executor() as executor:
            yield executor
