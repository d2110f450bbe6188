"""Which of the committed results the program of today would find again."""

import json

from documents.results import NUMERICS, holds_today, item


def held(results):
    files = sorted(results.folder.glob("**/*.json"))
    names = {True: [], False: []}
    for path in files:
        data = json.loads(path.read_text(encoding="utf-8"))
        names[holds_today(data)].append(path.relative_to(results.folder).with_suffix("").as_posix())
    listed = {holds: ", ".join(f"`{name}`" for name in found) or "none" for holds, found in names.items()}
    return [*item(f"{len(names[True])} of {len(files)} files hold for the program of today "
                  f"(numerics {NUMERICS['numerics']}): {listed[True]}."),
            *item(f"{len(names[False])} are of older programs and were not compared with it: {listed[False]}.")]
