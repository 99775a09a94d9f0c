"""Our Adam takes the steps of torch's."""

import torch

from tvlab.learning.lab_adam import BETAS, Adam


def test_it_takes_the_steps_of_torch():
    torch_rng = torch.Generator().manual_seed(0)
    start = {"a": torch.randn(4, 3, generator=torch_rng), "b": torch.randn(5, generator=torch_rng)}
    mine, peer = ({n: w.clone().requires_grad_(True) for n, w in start.items()} for _ in range(2))
    rates = {"a": 0.1, "b": 0.02}
    own = Adam(mine, rates)
    other = torch.optim.Adam([{"params": [peer[n]], "lr": rates[n]} for n in peer], betas=BETAS)
    for _ in range(20):
        for name in start:
            mine[name].grad = torch.randn(start[name].shape, generator=torch_rng)
            peer[name].grad = mine[name].grad.clone()
        own.step()
        other.step()
        for name in start:
            assert torch.allclose(mine[name], peer[name], atol=1e-6), name
