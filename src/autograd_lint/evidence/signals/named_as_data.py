"""What must require grad is called by a name that programs give to data.

def summarize(self, X):
    self.total += X.sum(0)      # told: `X` requires grad
"""

from __future__ import annotations

import re

from autograd_lint.engine.faults import Fault
from autograd_lint.evidence.assumption_origin import given_identifiers
from autograd_lint.evidence.signals.base import Case, Signal

_WORDS = frozenset(
    (
        *("batch", "batches", "minibatch", "minibatches", "buffer", "dataloader", "gt"),
        *("dataset", "grad", "gradient", "gradients", "grads", "ids", "label", "labels", "loader"),
        *("mask", "masks", "obs", "observation"),
        *("observations", "replay", "rew", "reward", "rewards", "rews", "target", "targets"),
        "timestamps",
    )
)
_MATRIX = {"X", "Xs"}  # the rows of a table, by the custom of statistics
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def _speaks(case: Case) -> bool:
    return case.rests_on_given and named_as_data(case.fault)


def named_as_data(fault: Fault) -> bool:
    """Whether what a fault takes to require grad is called by such a name.

    What an object called `data` holds (`data.pos` of a graph) is called by its own name.
    """
    identifiers = list(given_identifiers(fault))
    holds = len(identifiers) > 1
    return any(_names_data(one) for one in identifiers if not (holds and one == "data"))


def _names_data(identifier: str) -> bool:
    words = {part.lower() for part in _PARTS.findall(identifier)}
    of_data = "data" in words and len(words) > 1  # `data` alone may hold features as well
    return identifier in _MATRIX or of_data or not _WORDS.isdisjoint(words)


SIGNAL = Signal("named-as-data", _speaks, data=True)
