#!/usr/bin/env python3
"""Times one bilinear training step in PyTorch eager mode on one CPU core, in float32; prints one JSON object.

A step draws 32 query and 32 anchor rows (independently, with replacement), gathers them, subtracts, runs
h[k] = <f(delta), g(anchor)>_k with 12 inputs, 3 outputs and embedding m = 32, takes the mean Euclidean norm of the error,
goes back and updates with Adam (rate 1e-3). eager_us: PyTorch's default Adam; fused_us: Adam(fused=True). Each is the
median over repeats, in microseconds a step. The nets are timed from PyTorch's default weights.

"losses" are the first five losses of a deterministic run, so that whoever compares can check the answer before the
clock. Formulas in double, rounded once to float, indices from 0:

    x[i][c] = sin(0.1 * (i+1) * (c+1)) + 0.05 * c                      1000 rows, 12 columns
    y[i][k] = cos(0.2 * (i+1) * (k+1)) * x[i][0] + 0.1 * k             3 outputs
    pair b = 0..31 of step s: query row (7*s + 3*b) mod 1000, anchor row (11*s + 5*b + 1) mod 1000
    element j (row-major, weights [out, in]) of parameter tensor p (all of f, then all of g; weight, bias, layer by
    layer): 0.5 / sqrt(fan_in) * sin(1.0 + 0.7*p + 0.37*j)

    python bench/peers/torch_step.py [--widths 32,512,1024] [--quick]
"""

import argparse
import json
import math
import statistics
import time

import torch
from torch import nn

ROWS, INPUTS, OUTPUTS, EMBEDDING = 1000, 12, 3, 32
LAYERS, BATCH, RATE = 3, 32, 1e-3
CHECKED_STEPS = 5
REPEATS = 15


def net(width):
    sizes = [INPUTS] + [width] * (LAYERS - 1) + [OUTPUTS * EMBEDDING]
    layers = []
    for before, after in zip(sizes, sizes[1:]):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class Bilinear(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.f, self.g = net(width), net(width)

    def forward(self, anchor, delta):
        product = self.f(delta) * self.g(anchor)
        return product.view(-1, OUTPUTS, EMBEDDING).sum(dim=2)


def training_data():
    x = [[math.sin(0.1 * (i + 1) * (c + 1)) + 0.05 * c for c in range(INPUTS)] for i in range(ROWS)]
    y = [[math.cos(0.2 * (i + 1) * (k + 1)) * x[i][0] + 0.1 * k for k in range(OUTPUTS)] for i in range(ROWS)]
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


def set_weights(model):
    linears = [module for module in model.modules() if isinstance(module, nn.Linear)]
    p = 0
    with torch.no_grad():
        for linear in linears:
            scale = 0.5 / math.sqrt(linear.in_features)
            for tensor in (linear.weight, linear.bias):
                j = torch.arange(tensor.numel(), dtype=torch.float64)
                tensor.copy_((scale * torch.sin(1.0 + 0.7 * p + 0.37 * j)).float().view_as(tensor))
                p += 1


def step(model, adam, x, y, query_rows, anchor_rows):
    query, anchor = x[query_rows], x[anchor_rows]
    adam.zero_grad()
    error = model(anchor, query - anchor) - y[query_rows]
    loss = torch.linalg.vector_norm(error, dim=1).mean()
    loss.backward()
    adam.step()
    return loss


def checked_losses(width, x, y):
    model = Bilinear(width)
    set_weights(model)
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    losses = []
    for s in range(CHECKED_STEPS):
        query_rows = torch.tensor([(7 * s + 3 * b) % ROWS for b in range(BATCH)])
        anchor_rows = torch.tensor([(11 * s + 5 * b + 1) % ROWS for b in range(BATCH)])
        losses.append(float(f"{step(model, adam, x, y, query_rows, anchor_rows).item():.9g}"))
    return losses


def microseconds(width, x, y, seconds, **adam_options):
    torch.manual_seed(0)
    model = Bilinear(width)
    adam = torch.optim.Adam(model.parameters(), lr=RATE, **adam_options)

    def run(steps):
        start = time.perf_counter()
        for _ in range(steps):
            query_rows = torch.randint(ROWS, (BATCH,))
            anchor_rows = torch.randint(ROWS, (BATCH,))
            step(model, adam, x, y, query_rows, anchor_rows)
        return (time.perf_counter() - start) / steps

    run(5)
    steps = max(1, round(seconds / REPEATS / run(10)))
    return round(1e6 * statistics.median(run(steps) for _ in range(REPEATS)), 1)


def main():
    parser = argparse.ArgumentParser(description="Time one bilinear training step in PyTorch on one core.")
    parser.add_argument("--widths", default="32,512,1024", help="hidden widths, comma-separated")
    parser.add_argument("--quick", action="store_true", help="about 0.3 s a figure in place of 3 s")
    options = parser.parse_args()
    seconds = 0.3 if options.quick else 3.0

    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)
    x, y = training_data()
    cases = []
    for width in (int(text) for text in options.widths.split(",")):
        cases.append({
            "width": width,
            "layers": LAYERS,
            "losses": checked_losses(width, x, y),
            "eager_us": microseconds(width, x, y, seconds),
            "fused_us": microseconds(width, x, y, seconds, fused=True),
        })
    print(json.dumps({"torch": torch.__version__, "threads": 1, "cases": cases}, indent=1))


if __name__ == "__main__":
    main()
