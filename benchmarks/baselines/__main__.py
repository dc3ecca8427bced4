"""`python -m benchmarks.baselines bc5cdr|ddi|chemu|speed|gender [more of what each takes]`."""

from __future__ import annotations

import sys

from benchmarks.baselines import bc5cdr, chemu, ddi, gender, speed

_ALL = {"bc5cdr": bc5cdr.main, "ddi": ddi.main, "chemu": chemu.main, "speed": speed.main, "gender": gender.main}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in _ALL:
        sys.exit(f"python -m benchmarks.baselines {'|'.join(_ALL)}")
    _ALL[sys.argv[1]](sys.argv[2:])
