"""What `--confirm` does: each finding tried on the real engine, the refuted ones dropped."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import click

from autograd_lint.cli.outcome import Outcome
from autograd_lint.findings import Finding
from autograd_lint.live.confirm.confirm import Confirmer
from autograd_lint.live.confirm.devices import device_for


def confirm(outcome: Outcome, roots: tuple[Path, ...], choice: str) -> Outcome:
    """The outcome with confirmations and without what the real engine refutes.

    Raises Trouble where torch or the device is missing.
    """
    device = device_for(choice)
    texts = outcome.texts.given_texts()
    confirmers: dict[str, Confirmer] = {}
    tried = []
    with ExitStack() as stack:
        for finding in outcome.findings:
            root = _root(finding, roots)
            if root not in confirmers:
                confirmers[root] = stack.enter_context(Confirmer(device, texts, root))
            tried.append(confirmers[root].confirm(finding))
    _warn({layer for confirmer in confirmers.values() for layer in confirmer.lacking})
    kept = [one for one in tried if not _refuted(one)]
    return replace(outcome, findings=kept, refuted=len(tried) - len(kept))


def _refuted(finding: Finding) -> bool:
    return finding.confirmation is not None and finding.confirmation.verdict == "refuted"


def _root(finding: Finding, roots: tuple[Path, ...]) -> str:
    name = finding.place.filename
    return next((str(root) for root in roots if Path(name).is_relative_to(root)), "")


def _warn(lacking: set[str]) -> None:
    if lacking:
        layers = ", ".join(sorted(lacking))
        click.echo(f"autograd-lint: the sandbox lacks {layers} on this system", err=True)
