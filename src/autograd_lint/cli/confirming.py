"""What `--confirm` does: each finding tried on the real engine, the refuted ones dropped."""

from dataclasses import replace
from pathlib import Path

import click

from autograd_lint.checking.desk import Plan
from autograd_lint.cli.outcome import Outcome
from autograd_lint.findings import Finding
from autograd_lint.live.confirm.client import Witnesses
from autograd_lint.live.confirm.confirm import Confirmer
from autograd_lint.live.confirm.devices import device_for
from autograd_lint.live.confirm.saving import save


def confirm(
    outcome: Outcome,
    plan: Plan,
    choice: str,
    folder: str | None = None,
    unconfined: bool = False,
) -> Outcome:
    """The outcome with confirmations and without what the real engine refutes.

    Witnesses are written into `folder`. Raises Trouble where torch or the device is missing, where
    a witness cannot be written, and, unless `unconfined`, where the system cannot confine them.
    """
    texts = outcome.texts.given_texts()
    confirmers: dict[str, Confirmer] = {}
    desk = plan.desk()
    tried: list[Finding] = []
    written: set[Path | None] = set()
    with Witnesses(unconfined) as witnesses:
        device = device_for(choice, witnesses)
        for finding in outcome.findings:
            root = str(desk.home(Path(finding.place.filename)).roots[0])
            if root not in confirmers:
                confirmers[root] = Confirmer(device, texts, root, witnesses)
            tried.append(confirmers[root].confirm(finding))
            if folder is not None:
                written.add(save(tried[-1], Path(folder), written))
    _warn({layer for confirmer in confirmers.values() for layer in confirmer.lacking})
    kept = [one for one in tried if not _refuted(one)]
    return replace(outcome, findings=kept, refuted=len(tried) - len(kept))


def _refuted(finding: Finding) -> bool:
    return finding.confirmation is not None and finding.confirmation.verdict == "refuted"


def _warn(lacking: set[str]) -> None:
    if lacking:
        layers = ", ".join(sorted(lacking))
        click.echo(f"autograd-lint: the sandbox lacks {layers} on this system", err=True)
