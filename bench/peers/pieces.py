"""Measurements that are kept one by one in files of JSON, and the file of results that is made of them."""

import json
import os
import platform


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        name = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.machine())
    return f"{name}, {os.cpu_count()} cores"


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def write(path, piece):
    """Whole or not at all: a run may be stopped at any time."""
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(json.dumps(piece, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


def lines(result):
    """JSON with one entry of a list of objects a line."""
    parts = []
    for key, value in result.items():
        listed = isinstance(value, list) and value and isinstance(value[0], dict)
        text = "[\n  " + ",\n  ".join(json.dumps(one) for one in value) + "\n ]" if listed else json.dumps(value)
        parts.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"
