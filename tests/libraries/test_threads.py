"""What threads give back."""

from tests.vm.running import certain

SUBMITTED = """
from concurrent.futures import ThreadPoolExecutor

def raised(x):
    return x.exp()

x = torch.ones(3, requires_grad=True)
with ThreadPoolExecutor() as pool:
    task = pool.submit(raised, x)
    result = task.result()
    result.mul_(2)
    result.sum().backward()
"""


def test_the_result_of_a_task_is_what_its_function_returns() -> None:
    assert certain(SUBMITTED) == ["saved-tensor-modified"]
