"""Tables of training speed."""

import json
import textwrap

from documents.tables import plain_table


def bench(root):
    lines = []
    for path in sorted((root / "bench/results").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        if "engine" not in data:
            continue
        engine = data["engine"]
        peer = lambda case, key, form: form.format(case[key]) if key in case else "not measured"
        rows = [[f"{c['width']}", f"{c['step_us']:.1f}", f"{c['gflops']:.0f}", f"{100 * c['of_peak']:.0f} %",
                 peer(c, "torch_eager_us", "{:.0f}"), peer(c, "eager_ratio", "{:.1f}x"),
                 peer(c, "torch_fused_us", "{:.0f}"), peer(c, "fused_ratio", "{:.1f}x")] for c in engine["cases"]]
        lines += [*([""] if lines else []),
                  *plain_table(["width", "kedge, µs", "GFLOP/s", "of the core's peak", "PyTorch eager, µs", "ratio",
                                "PyTorch fused Adam, µs", "ratio"], rows, left=0), "",
                  f"{data['machine']}, kedge {engine['version']}, one core, 12 inputs, 3 outputs, rank 32, batch 32, "
                  "3 linear layers."]
        if "fleet" in engine:
            fleet = engine["fleet"]
            lines += [f"A step of {fleet['fits']} fits of width 32 trained as one fleet takes {fleet['ratio']:.2f} times "
                      "as long as one of as many replicas of one fit."]
        if "row" in data:
            row = data["row"]
            lines += [f"One answer with a given anchor takes {row['row_us']:.1f} µs ({row['inputs']} inputs, "
                      f"{row['outputs']} outputs, {row['layers']} layers of {row['width']})."]
        if "python" in data:
            lines += python(data["python"])
    return lines


def python(figures):
    """What Python costs beside the command line and C++, in lines of a document."""
    fit, row, bulk = figures["fit"], figures["row"], figures["bulk"]
    text = (f"From Python a fit of 1,000 grasps by the preset `released` (12 inputs, 3 outputs, {fit['steps']:,} steps) "
            f"takes {fit['python_s']:.1f} s, {fit['python_over_command']:.2f} times the time of the command line. ")
    if "torch_eager_over_python" in fit:
        text += (f"As many steps take PyTorch {fit['torch_eager_over_python']:.0f} times as long, and "
                 f"{fit['torch_fused_over_python']:.0f} times with its fused Adam. ")
    text += (f"One row is predicted in {row['python_us']:.0f} µs from Python and in {row['cpp_us']:.0f} µs from C++, the "
             f"search for its anchor included; {bulk['rows']:,} rows take {bulk['python_over_cpp']:.2f} times the time of "
             f"C++. Other work kept {figures['load']:.1f} processes running meanwhile.")
    return textwrap.wrap(text, 120)
