"""Calls made again: what the first one saved, the second one may write."""

import ast

from autograd_lint.analysis.repeated_calls import called_again
from autograd_lint.facts.triggers import triggers
from autograd_lint.project.source import Source
from tests.vm.running import faults, kinds

TRAINER = """
class Trainer:
    def __init__(self, model: nn.Module, reference: nn.Module):
        self.model, self.reference = model, reference

    @staticmethod
    def log_probabilities(logits, labels):
        labels = labels{copied}
        labels[labels == -100] = 0
        return torch.gather(logits.log_softmax(-1), 2, labels.unsqueeze(2)).squeeze(2)

    def forward(self, model, batch):
        return self.log_probabilities(model(batch["x"]).logits, batch["labels"])

    def compute_loss(self, model: nn.Module, batch):
        chosen = self.forward(model, batch)
        if "reference" in batch:
            wanted = batch["reference"]
        else:
            with torch.no_grad():
                if self.reference is None:
                    wanted = batch["other"]
                else:
                    wanted = self.forward(self.reference, batch)
        return (chosen - wanted).mean()
"""


def test_what_the_first_call_saved_is_written_by_the_second() -> None:
    (fault,) = faults(TRAINER.format(copied=""))
    assert fault.kind.value == "saved-tensor-modified"
    assert fault.operator == "gather"
    assert fault.modified is not None and fault.modified.place is not None
    assert fault.modified.place.row == 11


def test_a_copy_may_be_written() -> None:
    assert kinds(TRAINER.format(copied=".clone()")) == []


TEXT = """
def writes(x):
    x[x > 0] = 1

def hands_on(x):
    writes(x)

def twice(x):
    hands_on(x)
    return hands_on(x)

def once(x):
    hands_on(x)
    return reads(x) + reads(x)

def reads(x):
    return x + 1
"""


def test_only_calls_of_what_writes_count() -> None:
    source = Source("a.py", TEXT)
    functions = [node for node in source.tree.body if isinstance(node, ast.FunctionDef)]
    found = called_again(functions, triggers(source), {functions[0]: frozenset({3})})
    assert found == {9: frozenset({3}), 10: frozenset({3})}
