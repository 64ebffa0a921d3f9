"""`check --confirm`: findings with what the real engine says about them.

`confirmed(findings, device=..., texts=..., root=...)` gives the findings back, each with its
`confirmation`; `lacking` names the layers of the sandbox that this system has not.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from autograd_lint.findings import Confirmation, Finding
from autograd_lint.live import oldest
from autograd_lint.live.confirm.client import Witnesses
from autograd_lint.live.confirm.jobs import Job, Outcome
from autograd_lint.live.confirm.judge import judge
from autograd_lint.live.confirm.plan import entry_file, jobs_for
from autograd_lint.project.reading import UNREADABLE, decode

SECONDS = 20
_SECONDS_A_FINDING = 90  # for all its witnesses together


class Confirmer:
    """Confirms findings one by one; one process runs all witnesses. To be closed after use."""

    def __init__(
        self,
        device: str = "cpu",
        texts: Mapping[str, str] | None = None,
        root: str = "",
        witnesses: Witnesses | None = None,
    ) -> None:
        """`texts` are sources that are not on disk, `root` the folder that imports start from.

        `witnesses` runs them; without it, a process of its own does. Raises Trouble where torch is
        missing.
        """
        oldest.require("--confirm")
        self._device = device
        self._texts = dict(texts or {})
        self._root = root
        self._witnesses = witnesses or Witnesses()
        self._until = 0.0
        self.lacking: dict[str, None] = {}

    def __enter__(self) -> Confirmer:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that runs witnesses."""
        self._witnesses.close()

    def confirm(self, finding: Finding) -> Finding:
        """The finding with its confirmation. Raises Trouble where no witness can be run at all."""
        self._until = time.monotonic() + _SECONDS_A_FINDING
        return replace(finding, confirmation=self._confirmation(finding))

    def _confirmation(self, finding: Finding) -> Confirmation:
        if finding.cell is not None:
            return Confirmation("undecided", reason="cells of notebooks are not run")
        try:
            jobs = [job for name in _files(finding) for job in self._jobs(finding, name)]
        except (OSError, *UNREADABLE):
            return Confirmation("undecided", reason="the file cannot be read")
        verdict = judge(finding, jobs, self._run)
        without = tuple(f"the witness ran without {layer}" for layer in self.lacking)
        return replace(verdict, assumptions=(*verdict.assumptions, *without))

    def _jobs(self, finding: Finding, filename: str) -> Iterator[Job]:
        text = self._text(filename)
        base = Job(filename, text, device=self._device, seconds=SECONDS, root=self._root)
        return jobs_for(finding, text, base)

    def _run(self, job: Job) -> Outcome:
        if time.monotonic() > self._until:
            return Outcome("time")
        outcome = self._witnesses.run(job)
        self.lacking.update(dict.fromkeys(outcome.lacking))
        return outcome

    def _text(self, filename: str) -> str:
        if filename not in self._texts:
            self._texts[filename] = decode(Path(filename).read_bytes(), filename).text
        return self._texts[filename]


def _files(finding: Finding) -> list[str]:
    """The file that raises, and that of the finding."""
    return list(dict.fromkeys([entry_file(finding), finding.place.filename]))


def confirmed(findings: Iterable[Finding], device: str = "cpu", root: str = "") -> list[Finding]:
    """All findings with their confirmations, in order."""
    with Confirmer(device, root=root) as confirmer:
        return [confirmer.confirm(finding) for finding in findings]
