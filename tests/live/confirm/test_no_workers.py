"""Loaders with workers, where no worker can be started."""

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset, get_worker_info

from autograd_lint.live.confirm.no_workers import WithoutWorkers


class Numbers(Dataset[int]):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        info = get_worker_info()
        return -1 if info is None else 10 * index * info.num_workers


def test_batches_are_made_as_by_a_worker() -> None:
    with WithoutWorkers() as without:
        loader = DataLoader(Numbers(), batch_size=2, num_workers=1)
        assert [batch.tolist() for batch in loader] == [[0, 10], [20, 30]]
        assert loader.num_workers == 1
    assert without.used
    assert get_worker_info() is None


@pytest.mark.parametrize("collate", [None, lambda rows: torch.stack([row for (row,) in rows])])
def test_what_cannot_be_sent_is_refused(collate: object) -> None:
    data = TensorDataset(torch.ones(4, 2, requires_grad=True))
    with WithoutWorkers(), pytest.raises(RuntimeError, match=r"requires.grad"):
        list(DataLoader(data, batch_size=2, num_workers=1, collate_fn=collate))


def test_loaders_without_workers_are_left_alone() -> None:
    with WithoutWorkers() as without:
        assert [batch.tolist() for batch in DataLoader(Numbers(), batch_size=4)] == [[-1] * 4]
    assert not without.used
