"""Batches of data loaders."""

import pytest

from tests.vm.running import certain, kinds

HEAD = """from torch.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(torch.rand(4, 3), torch.rand(4)), batch_size=2)
"""


def test_batches_do_not_require_grad() -> None:
    assert certain(HEAD + "for x, y in loader:\n    x.sum().backward()\n") == ["no-grad-root"]


def test_each_batch_is_made_anew() -> None:
    text = "for epoch in range(2):\n    for x, y in loader:\n        x.requires_grad_()\n"
    assert certain(HEAD + text.replace("x.requires_grad_()", "x += 1; x.requires_grad_()")) == []


def test_as_many_batches_as_there_are() -> None:
    text = "seen = []\nfor x, y in loader:\n    seen.append(x.sum().requires_grad_())\n"
    assert certain(HEAD + text + "torch.stack(seen[1:]).backward()\n") == []


WORKERS = """from torch.utils.data import DataLoader, Dataset, TensorDataset
data = torch.rand(4, 3{flag})
class Rows(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return data[index]{cut}
for batch in DataLoader({dataset}, batch_size=2, num_workers={workers}):
    batch[0].sum()
"""


@pytest.mark.parametrize("dataset", ["TensorDataset(data)", "Rows()", "data"])
def test_workers_cannot_hand_over_what_requires_grad(dataset: str) -> None:
    text = WORKERS.format(flag=", requires_grad=True", cut="", dataset=dataset, workers=1)
    assert certain(text) == ["other"]


@pytest.mark.parametrize(
    ("flag", "cut", "dataset", "workers"),
    [
        ("", "", "Rows()", 1),
        (", requires_grad=True", ".detach()", "Rows()", 1),
        (", requires_grad=True", "", "TensorDataset(data)", 0),
    ],
)
def test_workers_hand_over_the_rest(flag: str, cut: str, dataset: str, workers: int) -> None:
    assert certain(WORKERS.format(flag=flag, cut=cut, dataset=dataset, workers=workers)) == []


FEATURES = """from torch.utils.data import DataLoader, Dataset
class Features(Dataset):
    def __init__(self, encoder, images):
        self.features = [encoder(one) for one in images]
    def __len__(self):
        return len(self.features)
    def __getitem__(self, i):
        return self.features[i]{cut}, i
features = Features(nn.Linear(2, 2), torch.randn(4, 2))
head = nn.Linear(2, 2)
for epoch in range({epochs}):
    for x, i in DataLoader(features, batch_size=2):
        head(x).sum().backward()
"""


def test_batches_of_elements_with_graphs_lead_back_into_them() -> None:
    assert kinds(FEATURES.format(cut="", epochs=2)) == ["graph-freed"]
    assert kinds(FEATURES.format(cut=".detach()", epochs=2)) == []


def test_each_element_is_in_one_batch_of_an_epoch() -> None:
    assert kinds(FEATURES.format(cut="", epochs=1)) == []
