"""Forward hooks on modules of unknown classes, and on their parts."""

from autograd_lint.evidence.wording import worded
from tests.vm.running import faults, kinds

KEPT = """
from torchvision import models
model = models.swin_t()
kept = []
handle = model.{}.register_forward_hook(lambda m, i, o: kept.append({}))
opt = torch.optim.SGD(model.parameters(), 0.1)
for _ in range(3):
    opt.zero_grad()
    model(torch.ones(1, 3, 64, 64)).sum().backward()
    opt.step()
print(torch.stack(kept))
"""


def test_what_a_hook_keeps_of_each_call_keeps_its_graph() -> None:
    assert kinds(KEPT.format("layer4", "o")) == ["graph-kept"]
    assert kinds(KEPT.format("layer4", "o.cpu()")) == ["graph-kept"]
    assert kinds(KEPT.format("layer4[-1].conv1", "o")) == ["graph-kept"]


def test_a_hook_may_detach() -> None:
    assert kinds(KEPT.format("layer4", "o.detach()")) == []


def test_a_hook_that_was_taken_off_runs_no_more() -> None:
    text = KEPT.format("layer4", "o").replace("opt = ", "handle.remove()\nopt = ")
    assert kinds(text) == []


def test_hooks_run_for_each_module_of_a_list_of_all() -> None:
    text = KEPT.replace("handle = model.{}.", "for part in model.modules():\n    part.")
    assert kinds(text.format("o")) == ["graph-kept"]
    assert kinds(text.format("o.detach()")) == []


def test_nobody_but_the_module_runs_its_hooks() -> None:
    other = KEPT.format("layer4", "o").replace(
        "    model(torch.ones(1, 3, 64, 64))", "    other(torch.ones(1, 3, 64, 64))"
    )
    text = other.replace("kept = []", "kept = []\nother = models.resnet50()")
    assert "graph-kept" not in kinds(text)


CUT = """
class Tagger(nn.Module):
    def __init__(self, embeddings: nn.Module, labels, attention=False):
        super().__init__()
        self.embeddings = embeddings
        self.attention = attention
        self.decoder = nn.Linear(8, labels)

    def forward(self, x):
        if not self.attention:
            seen = self.embeddings(x)
        else:
            def hook(m, i, o):
                self.seen = {}

            handle = self.embeddings.dropout.register_forward_hook(hook)
            self.embeddings(x)
            handle.remove()
            seen = self.seen.mean(0)
        return self.decoder(seen)
"""


def test_a_hook_that_takes_values_cuts_the_gradient_of_an_object_made_so() -> None:
    (fault,) = faults(CUT.format("o.data"))
    assert fault.kind.value == "gradient-cut" and fault.place and fault.place.row == 16
    told = {worded(assumption) for assumption in fault.assumptions}
    assert any("`not self.attention` does not hold" in text for text in told)
    assert kinds(CUT.format("o")) == []


def test_an_option_that_only_chooses_to_cut_is_meant() -> None:
    text = """
class Net(nn.Module):
    def __init__(self, freeze=False):
        super().__init__()
        self.body, self.head, self.freeze = nn.Linear(3, 3), nn.Linear(3, 3), freeze

    def forward(self, x):
        h = self.body(x)
        {}
        return self.head(h)
"""
    assert kinds(text.format("if self.freeze:\n            h = h.data")) == []
    assert kinds(text.format("h = h.data if self.freeze else h")) == []
    assert kinds(text.format("h = h.data")) == ["gradient-cut"]


HARD = """
def gumbel(shape, device):
    return -torch.log(-torch.log(torch.empty(shape, device=device).uniform_(0.1, 1.0)))

class Quantizer(nn.Module):
    def __init__(self, size, hard=False):
        super().__init__()
        self.project, self.hard = nn.Linear(size, 4), hard
        self.codes = nn.Parameter(torch.rand(4, size))

    def forward(self, x):
        hidden = self.project(x)
        if not self.hard:
            drawn = gumbel(hidden.size(), hidden.device)
            chosen = nn.functional.softmax(hidden + drawn, -1)
        else:
            index = hidden.argmax(-1)
            chosen = nn.functional.one_hot(index, hidden.shape[-1]) * 1.0
        return (chosen.unsqueeze(-1) * self.codes).sum(-2)
"""


def test_what_an_option_is_asked_for_is_meant() -> None:
    assert kinds(HARD) == []
