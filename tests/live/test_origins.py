"""Where tensors without a graph come from."""

import torch

from autograd_lint.live.memory import Origin
from autograd_lint.live.origins import DATA, Origins
from autograd_lint.live.private import storage_id
from autograd_lint.live.record import Record
from autograd_lint.live.schemas import Schema


def test_new_data_inherits_nothing_of_what_lay_in_its_memory_before() -> None:
    record, data = Record(), torch.tensor(0.5)
    storage = storage_id(data)
    assert storage is not None
    gone = Origin("eq", None, Origin("eq", None))
    record.add_origin(storage, gone, 1)
    lifted = Schema(DATA, (), (), loses_bump=False, writes=False, aliases=True)
    Origins(record).note(lifted, [data], data, None, 2, made_node=False)
    found = record.memory.origin(storage)
    assert found is not None
    assert (found.operator, found.cut) == (DATA, None)
