"""What was measured on a CUDA device, and errors there beside those of the CPU."""

import json

from documents.results import ROOT, counted, mean_of, origin, wrapped
from documents.tables import MODELS, columns, error_text, plain_table

NETWORKS = ("Neural Net", "Transduction", "Ours")
RATE = 4.8e12  # bytes a second, of the memory of an H200 by its maker


def traffic(width, inputs=12, outputs=96):
    """Bytes of weights and two moments of the timed networks, each read and written once in a step."""
    return 2 * (width * (inputs + width + outputs) + 2 * width + outputs) * 3 * 2 * 4


def engine_on_device(_):
    """Steps of an engine beside PyTorch's."""
    lines = []
    for path in sorted((ROOT / "bench/results").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8")).get("engine_cuda")
        if not data:
            continue
        rows = []
        for case in data["cases"]:
            share = 100 * traffic(case["width"]) / RATE / (case["exact_us"] * 1e-6)
            rows.append([str(case["width"]), str(case["replicas"]), f"{case['exact_us']:.3g}", f"{case['tf32_us']:.3g}",
                         *(f"{case[key]:.3g}" if key in case else "" for key in ("torch_fp32_us", "torch_tf32_us")),
                         f"{case['ratio']:.1f}x" if "ratio" in case else "",
                         f"{share:.0f} %" if case["width"] > 64 else ""])
        about = (f"{data['device']}, kedge {data['version']}, PyTorch {data['torch']} in the same run, medians of "
                 f"{data['rounds']}, {data['date']}: `{data['command']}`. 12 inputs, 3 outputs, rank 32, batch 32, 3 linear "
                 "layers. The ratio is that of PyTorch's floats to ours. The last column is the least time in which the "
                 "memory moves weights and moments, once in and once out at 4.8 TB/s, over the time that was taken.")
        lines += [*([""] if lines else []),
                  *plain_table(["width", "replicas", "kedge, µs", "kedge TF32, µs", "PyTorch, µs", "PyTorch TF32, µs",
                                "ratio", "of the memory's rate"], rows, left=0), "", *wrapped(about)]
    return lines


def as_on_the_cpu(cpu, device):
    """Means of two cells lie within one deviation."""
    return abs(mean_of(cpu) - mean_of(device)) <= max(cpu["ours"]["sd"], device["ours"]["sd"])


def device_errors(results):
    """Table 1 at n = 32, trained on the CPU and on a device."""
    cpu, device = results.read("table-sizes"), results.read("full/table-sizes")
    of = columns(*NETWORKS)
    rows, pairs = [], []
    for row in (row for row in cpu.rows if row.endswith("n = 32")):
        both = [(cpu.cell(row, c.name, "released"), device.cell(row, c.name, "released")) for c in of]
        pairs += both
        rows.append([row, *(error_text(cell, 4) for pair in both for cell in pair)])
    head = ["error out of support, m", *(f"{c.title}, {where}" for c in of for where in ("CPU", "device"))]
    alike = sum(as_on_the_cpu(*pair) for pair in pairs)
    ratios = sorted(mean_of(device_cell) / mean_of(cell) for cell, device_cell in pairs)
    heat_cpu, heat_device = results.read("fig-heatmap"), results.read("full/fig-heatmap")
    robots, robot_ratios = robot_errors(heat(heat_cpu), heat(heat_device))
    return [*plain_table(head, rows), "",
            *wrapped(f"In {alike} of {len(pairs)} cells the means are within one deviation. The device's mean over that of "
                     f"the CPU is {ratios[0]:.2f} to {ratios[-1]:.2f}, in the middle {ratios[len(ratios) // 2]:.2f}. The next "
                     f"table has means over the authors' 50 goals, of seeds {counted(heat_cpu.data['seeds'])} on the CPU and "
                     f"{counted(heat_device.data['seeds'])} on the device."), "",
            *robots, "",
            *wrapped(f"Here the device's mean over that of the CPU is {robot_ratios[0]:.2f} to {robot_ratios[-1]:.2f}, in the "
                     f"middle {robot_ratios[len(robot_ratios) // 2]:.2f}."), "",
            *origin(cpu, device, heat_cpu, heat_device)]


def heat(result):
    """Means by (domain, size, model) of the preset released."""
    found = {}
    for chart in result.data["charts"]:
        domain, preset = chart["title"].split(", preset ")
        series = chart["series"][0]
        for x, y, value in zip(series["x"], series["y"], series["values"]):
            if preset == "released":
                found[domain, chart["x_names"][int(x)], chart["y_names"][int(y)]] = value
    return found


def robot_errors(cpu, device):
    models = [name for name in dict.fromkeys(model for _, _, model in cpu) if name != "Linear"]
    rows, ratios = [], []
    for domain, size in dict.fromkeys((domain, size) for domain, size, _ in cpu if size.endswith(", 32")):
        texts = []
        for model in models:
            both = cpu[domain, size, model], device[domain, size, model]
            ratios.append(both[1] / both[0])
            texts += [f"{value:.4f}" for value in both]
        rows.append([f"{domain}, k = {size.split(',')[0]}, n = 32", *texts])
    head = ["error out of support", *(f"{MODELS[model].title}, {where}" for model in models
                                      for where in ("CPU", "device"))]
    return plain_table(head, rows), sorted(ratios)
