"""A local name lives as long as the call that binds it: what it held is gone with it."""

from tests.vm.running import kinds

DECODER = """
cell = nn.RNNCell(3, 3)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)

def decode(state):
    h = cell(torch.randn(1, 3), state)
    return h
"""


def test_the_state_of_one_decoding_is_no_sum_over_all_of_them() -> None:
    program = (
        DECODER
        + """
for _ in range(9):
    state = torch.zeros(1, 3)
    for _ in range(5):
        state = decode(state)
    state.sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""
    )
    assert kinds(program) == []


def test_what_a_loop_adds_to_a_name_of_its_own_call_is_a_sum() -> None:
    program = """
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

def train():
    total = 0
    for _ in range(9):
        optimizer.zero_grad()
        loss = net(torch.randn(3)).sum().exp()
        loss.backward()
        optimizer.step()
        total = total + loss
    print(total)

train()
"""
    assert kinds(program) == ["graph-kept"]
