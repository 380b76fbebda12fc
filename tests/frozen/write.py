"""Write the numbers of all calls of calls.py to numbers.json: `python tests/frozen/write.py [word of the names ...]`."""

import os
import sys
import time
from pathlib import Path

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import json  # noqa: E402

import calls  # noqa: E402

PLACE = Path(__file__).with_name("numbers.json")
wanted = [name for name in calls.CASES if not sys.argv[1:] or any(word in name for word in sys.argv[1:])]
found = {}
for name in wanted:
    start = time.process_time()
    found[name] = calls.computed(name)
    if (took := time.process_time() - start) > 1:
        print(f"{name}: {took:.1f} s")
known = json.loads(PLACE.read_text()) if sys.argv[1:] else {}
lines = [
    f"{json.dumps(name)}: {json.dumps(values)}"
    for name, values in sorted((known | found).items())
    if name in calls.CASES
]
PLACE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
