"""By which methods modules are trained and used."""

from __future__ import annotations

# Methods by which a module is trained.
STEPS = ("training_step", "forward")
# Methods by which a model that has been trained is used; they see to grad mode themselves.
USING = {
    *("generate", "sample", "predict", "infer", "inference", "evaluate"),
    *("transcribe", "translate"),
}
