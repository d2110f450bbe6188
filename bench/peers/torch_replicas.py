#!/usr/bin/env python3
"""Times training steps of stacked replicas in PyTorch on a CUDA device; prints one JSON object.

The step is that of torch_step.py. R models are one: every layer is a batched product (baddbmm) over replicas, Adam is
fused, and the whole step (drawing of pairs included) is one CUDA graph. Microseconds for each model and step, median
over repeats.

    python bench/peers/torch_replicas.py [--widths 32,512,1024] [--replicas 1,16,64,128]
"""

import argparse
import json
import math
import statistics
import time

import torch

ROWS, INPUTS, OUTPUTS, EMBEDDING = 1000, 12, 3, 32
LAYERS, BATCH, RATE = 3, 32, 1e-3
REPEATS = 5


def stacked_net(width, replicas):
    sizes = [INPUTS] + [width] * (LAYERS - 1) + [OUTPUTS * EMBEDDING]
    layers = []
    for before, after in zip(sizes, sizes[1:]):
        bound = 1 / math.sqrt(before)
        weight = torch.empty(replicas, before, after, device="cuda").uniform_(-bound, bound).requires_grad_()
        bias = torch.empty(replicas, 1, after, device="cuda").uniform_(-bound, bound).requires_grad_()
        layers.append((weight, bias))
    return layers


def forward(layers, x):
    for i, (weight, bias) in enumerate(layers):
        x = torch.baddbmm(bias, x, weight)
        if i + 1 < len(layers):
            x = torch.relu(x)
    return x


def microseconds(width, replicas, x, y):
    torch.manual_seed(0)
    f, g = stacked_net(width, replicas), stacked_net(width, replicas)
    parameters = [tensor for layer in f + g for tensor in layer]
    adam = torch.optim.Adam(parameters, lr=RATE, fused=True, capturable=True)

    def step():
        query_rows = torch.randint(ROWS, (replicas, BATCH), device="cuda")
        anchor_rows = torch.randint(ROWS, (replicas, BATCH), device="cuda")
        query, anchor = x[query_rows], x[anchor_rows]
        product = forward(f, query - anchor) * forward(g, anchor)
        error = product.view(replicas, BATCH, OUTPUTS, EMBEDDING).sum(dim=3) - y[query_rows]
        loss = torch.linalg.vector_norm(error, dim=2).mean(dim=1).sum()
        loss.backward()
        adam.step()

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            adam.zero_grad(set_to_none=True)
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    adam.zero_grad(set_to_none=True)
    with torch.cuda.graph(graph):
        step()

    def run(steps):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(steps):
            graph.replay()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / steps

    run(5)
    steps = max(10, round(0.1 / run(10)))
    return 1e6 * statistics.median(run(steps) for _ in range(REPEATS)) / replicas


def main():
    parser = argparse.ArgumentParser(description="Time steps of stacked replicas in PyTorch on a CUDA device.")
    parser.add_argument("--widths", default="32,512,1024", help="hidden widths, comma-separated")
    parser.add_argument("--replicas", default="1,16,64,128", help="models side by side, comma-separated")
    options = parser.parse_args()
    i = torch.arange(1, ROWS + 1, dtype=torch.float64).unsqueeze(1)
    c = torch.arange(INPUTS, dtype=torch.float64)
    k = torch.arange(OUTPUTS, dtype=torch.float64)
    x = torch.sin(0.1 * i * (c + 1)) + 0.05 * c
    y = (torch.cos(0.2 * i * (k + 1)) * x[:, :1] + 0.1 * k).float().cuda()
    x = x.float().cuda()
    cases = []
    for width in (int(text) for text in options.widths.split(",")):
        for replicas in (int(text) for text in options.replicas.split(",")):
            case = {"width": width, "replicas": replicas}
            for name, allowed in (("fp32_us", False), ("tf32_us", True)):
                torch.backends.cuda.matmul.allow_tf32 = allowed
                case[name] = round(microseconds(width, replicas, x, y), 3)
            cases.append(case)
    print(json.dumps({"torch": torch.__version__, "device": torch.cuda.get_device_name(), "cases": cases}, indent=1))


if __name__ == "__main__":
    main()
