"""Whether a project is there to run what others have trained."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autograd_lint.project.modules import Project

_TRAINS = re.compile(
    rb"\.backward\(|\bgrad\(|\boptim\b|Optimizer|\b(?:Adam\w*|SGD)\(|Trainer\b|Lightning|\.fit\("
    rb"|\bdef (?:fit|train\w*)\b|\btraining_step\b"
)
_LOADS = re.compile(rb"\b(?:load_state_dict|from_pretrained|torch\.load|load_file)\(")
_SWITCHES_OFF = re.compile(rb"\b(?:no_grad|inference_mode)\b")


@dataclass(frozen=True)
class Doing:
    """Whether a file trains something, loads weights, and switches grad mode off."""

    trains: bool
    loads: bool
    switches_off: bool


def only_infers(project: Project) -> bool:
    """Whether nothing in a project trains, and it runs what it loads with grad mode off."""
    found = [project.look(path, _doing) for path in project.files()]
    if any(one.trains for one in found):
        return False
    return any(one.loads for one in found) and any(one.switches_off for one in found)


def _doing(data: bytes) -> Doing:
    marks = (_TRAINS, _LOADS, _SWITCHES_OFF)
    return Doing(*(mark.search(data) is not None for mark in marks))
