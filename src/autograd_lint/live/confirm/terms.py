"""On which terms the process that runs witnesses starts, and what it says of itself."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Terms:
    """How the process is to run. `apart`: namespaces are `own`, made by `bubblewrap`, or `none`.

    With `strict` nothing runs where a layer of the sandbox is missing. `refused` says why there are
    no namespaces, where that is known already.
    """

    strict: bool = True
    apart: str = "own"
    refused: str = "namespaces: there are none"
    cuda: bool = False

    def encode(self) -> str:
        """As one word of a command line."""
        return json.dumps(asdict(self))


@dataclass(frozen=True)
class Ready:
    """What the client is told first: torch's version, whether CUDA is there, what is not confined.

    `error` says why no witness can be run at all.
    """

    torch: str = ""
    cuda: bool = False
    lacking: tuple[str, ...] = ()
    error: str = ""

    def encode(self) -> bytes:
        """As JSON."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> Ready:
        """What was encoded. Raises ValueError where it is something else."""
        values = json.loads(data)
        try:
            return cls(**{**values, "lacking": tuple(map(str, values["lacking"]))})
        except (TypeError, KeyError):
            raise ValueError("not what a process that runs witnesses says") from None
