#!/usr/bin/env python3
"""Writes torch.json: ten training steps of every neural model, computed by PyTorch in float32 on the CPU.

Run by hand (never by the tests), with a Python that has PyTorch:

    python tests/golden/dump_torch.py tests/golden/torch.json

The golden test re-creates every case from the formulas below; nothing random is shared. All formulas are computed in
double and rounded once to float. Indices count from 0. sin and cos take radians.

Data       40 rows, D = 5 inputs, K = 2 outputs
           x[i][c] = sin(0.1 * (i+1) * (c+1)) + 0.05 * c
           y[i][k] = cos(0.2 * (i+1) * (k+1)) * x[i][0] + 0.1 * k       (with x[i][0] in double, before rounding)
Pairs      pair b = 0..7 of step s = 0..9: query row (7*s + 3*b) mod 40, anchor row (11*s + 5*b + 1) mod 40
           delta = x[query] - x[anchor], subtracted in float; the target is y[query]
Weights    element j (row-major; a weight is [out, in], a bias [out]) of parameter tensor p of the model:
           0.5 / sqrt(fan_in) * sin(1.0 + 0.7*p + 0.37*j);  fan_in is the layer's number of inputs, for its bias too
Net        net(in, out) = Linear(in, 16) ReLU Linear(16, 16) ReLU Linear(16, out); no activation after the last layer
           with the Fourier layer: net(in, out) = sin(pi * Linear(in, 40*in)) and then the net above on 40*in inputs
           parameter order: layer by layer from the input (Fourier layer first), weight then bias
Models     (m = 4; context columns 3, 4; the other columns are 0, 1, 2)
           mlp              net(query: 5, K)
           concat           net([anchor, delta]: 10, K)
           deepsets         head(e1 + e2), e1 = net(query columns 0..2: 3, 16), e2 = net(query columns 3..4: 2, 16),
                            head = Linear(16, 16) ReLU Linear(16, K)                    order: e1, e2, head
           bilinear-direct  f = net(query columns 0..2: 3, K*m), g = net(query columns 3..4: 2, K*m)
           bilinear         f = net(delta: 5, K*m), g = net(anchor: 5, K*m)
           both bilinear    h[k] = sum over j < m of f[k*m + j] * g[k*m + j]            order: all of f, all of g
           change           the output is y[anchor] + h in place of h
Losses     e = output - target, batch B = 8
           mse       mean over the batch and the outputs of e^2
           l2        mean over the batch of the Euclidean norm of e
           weighted  sum over b of w_b * (mean over k of e_bk^2) / B,  w_b = 0.5 + 0.1 * ((s + b) mod 5)
Optimizer  Adam, beta 0.9 and 0.999, eps 1e-8 (added outside the root), no weight decay; step s uses the rate
           constant  1e-3
           cosine    1e-3 * 0.5 * (1 + cos(pi * s / 10))

losses[s] is the loss of step s before its update; prediction is the output after the ten steps for the query
x[c] = 0.3 + 0.2*c with anchor row 3 (context columns as above). double_deviation is the largest absolute
difference between any number here and the same run in double from the same float weights and data: what rounding
alone does, hence a floor for the test's tolerance.
"""

import json
import math
import sys

import torch
from torch import nn

ROWS, INPUTS, OUTPUTS = 40, 5, 2
WIDTH, EMBEDDING, FREQUENCIES = 16, 4, 40
BATCH, STEPS, RATE = 8, 10, 1e-3
ANCHOR_OF_PREDICTION = 3


class Net(nn.Module):
    def __init__(self, inputs, outputs, fourier):
        super().__init__()
        self.fourier = nn.Linear(inputs, FREQUENCIES * inputs) if fourier else None
        front = FREQUENCIES * inputs if fourier else inputs
        self.layers = nn.Sequential(
            nn.Linear(front, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, outputs)
        )

    def forward(self, x):
        if self.fourier is not None:
            x = torch.sin(math.pi * self.fourier(x))
        return self.layers(x)


class Single(nn.Module):
    def __init__(self, inputs, fourier, read):
        super().__init__()
        self.net, self.read = Net(inputs, OUTPUTS, fourier), read

    def forward(self, query, anchor, delta):
        return self.net(self.read(query, anchor, delta))


class DeepSets(nn.Module):
    def __init__(self, fourier):
        super().__init__()
        self.embed_free = Net(3, WIDTH, fourier)
        self.embed_context = Net(2, WIDTH, fourier)
        self.head = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, OUTPUTS))

    def forward(self, query, anchor, delta):
        return self.head(self.embed_free(query[:, :3]) + self.embed_context(query[:, 3:]))


class Bilinear(nn.Module):
    def __init__(self, f_inputs, g_inputs, fourier, read):
        super().__init__()
        self.f = Net(f_inputs, OUTPUTS * EMBEDDING, fourier)
        self.g = Net(g_inputs, OUTPUTS * EMBEDDING, fourier)
        self.read = read

    def forward(self, query, anchor, delta):
        f_input, g_input = self.read(query, anchor, delta)
        product = self.f(f_input) * self.g(g_input)
        return product.view(-1, OUTPUTS, EMBEDDING).sum(dim=2)


MODELS = {
    "mlp": lambda fourier: Single(INPUTS, fourier, lambda q, a, d: q),
    "deepsets": DeepSets,
    "concat": lambda fourier: Single(2 * INPUTS, fourier, lambda q, a, d: torch.cat([a, d], dim=1)),
    "bilinear-direct": lambda fourier: Bilinear(3, 2, fourier, lambda q, a, d: (q[:, :3], q[:, 3:])),
    "bilinear": lambda fourier: Bilinear(INPUTS, INPUTS, fourier, lambda q, a, d: (d, a)),
}


def training_data():
    x = [[math.sin(0.1 * (i + 1) * (c + 1)) + 0.05 * c for c in range(INPUTS)] for i in range(ROWS)]
    y = [[math.cos(0.2 * (i + 1) * (k + 1)) * x[i][0] + 0.1 * k for k in range(OUTPUTS)] for i in range(ROWS)]
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


def set_weights(model):
    """Linear modules in definition order are the parameter order of the header: weight, bias, weight, bias, ..."""
    linears = [module for module in model.modules() if isinstance(module, nn.Linear)]
    p = 0
    with torch.no_grad():
        for linear in linears:
            scale = 0.5 / math.sqrt(linear.in_features)
            for tensor in (linear.weight, linear.bias):
                values = [scale * math.sin(1.0 + 0.7 * p + 0.37 * j) for j in range(tensor.numel())]
                tensor.copy_(torch.tensor(values, dtype=torch.float32).view_as(tensor))
                p += 1


def loss_of(name, error, step):
    if name == "mse":
        return error.square().mean()
    if name == "l2":
        return torch.linalg.vector_norm(error, dim=1).mean()
    weights = torch.tensor([0.5 + 0.1 * ((step + b) % 5) for b in range(BATCH)], dtype=error.dtype)
    return (weights * error.square().mean(dim=1)).sum() / BATCH


def run(case, dtype):
    """The ten losses and the prediction of one case; its float weights and data are widened when dtype is double."""
    model = MODELS[case["model"]](case["fourier"])
    set_weights(model)
    model.to(dtype)
    x, y = (part.to(dtype) for part in training_data())

    def output(query, anchor_rows):
        anchor = x[anchor_rows]
        h = model(query, anchor, query - anchor)
        return y[anchor_rows] + h if case["change"] else h

    adam = torch.optim.Adam(model.parameters(), lr=RATE, betas=(0.9, 0.999), eps=1e-8)
    losses = []
    for step in range(STEPS):
        if case["schedule"] == "cosine":
            adam.param_groups[0]["lr"] = RATE * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        query_rows = [(7 * step + 3 * b) % ROWS for b in range(BATCH)]
        anchor_rows = [(11 * step + 5 * b + 1) % ROWS for b in range(BATCH)]
        adam.zero_grad()
        loss = loss_of(case["loss"], output(x[query_rows], anchor_rows) - y[query_rows], step)
        losses.append(loss.item())
        loss.backward()
        adam.step()
    query = torch.tensor([[0.3 + 0.2 * c for c in range(INPUTS)]], dtype=torch.float32).to(dtype)
    with torch.no_grad():
        prediction = output(query, [ANCHOR_OF_PREDICTION])[0].tolist()
    return losses, prediction


def cases():
    def case(model, fourier, change, loss, schedule="constant"):
        name = model + "-fourier" * fourier + "-change" * change + "-" + loss + "-cosine" * (schedule == "cosine")
        return {"name": name, "model": model, "fourier": fourier, "change": change, "loss": loss, "schedule": schedule}

    kinds = [(model, False) for model in MODELS] + [("bilinear", True)]
    for model, change in kinds:
        for fourier in (False, True):
            for loss in ("mse", "l2", "weighted"):
                yield case(model, fourier, change, loss)
    yield case("bilinear", False, False, "mse", "cosine")


def nine_digits(values):
    return [float(f"{value:.9g}") for value in values]


def main():
    torch.set_num_threads(1)
    lines, deviation = [], 0.0
    for case in cases():
        losses, prediction = run(case, torch.float32)
        exact_losses, exact_prediction = run(case, torch.float64)
        for value, exact in zip(losses + prediction, exact_losses + exact_prediction):
            deviation = max(deviation, abs(value - exact))
        lines.append(json.dumps({**case, "losses": nine_digits(losses), "prediction": nine_digits(prediction)}))
    head = {
        "command": "python tests/golden/dump_torch.py tests/golden/torch.json",
        "torch": torch.__version__,
        "double_deviation": float(f"{deviation:.2g}"),
    }
    text = json.dumps(head)[:-1] + ', "cases": [\n' + ",\n".join(lines) + "\n]}\n"
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: dump_torch.py OUTPUT.json")
    main()
