"""Runs one handler as Lambda does, in a process that has nothing but its assets.

`python -I -S -B alone.py <code> <layer> <module.handler> <event file> <answer file>`; the standard library is all
that it shares with this repository. What the handler writes goes to stdout, as it would to its log.
"""

import importlib
import sys

before = set(sys.modules)
sys.path[:0] = [sys.argv[1], f"{sys.argv[2]}/python"]
module, _, name = sys.argv[3].rpartition(".")
handler = getattr(importlib.import_module(module), name)
modules = sorted(set(sys.modules) - before)

import json  # noqa: E402  # after the count: it is not the handler's
from pathlib import Path  # noqa: E402


class Context:
    """Lambda's context, as far as handlers read it."""

    function_name = "alone"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-west-2:111122223333:function:alone"
    aws_request_id = "11111111-2222-3333-4444-555555555555"

    def get_remaining_time_in_millis(self) -> int:
        return 29_000


answer, error = None, None
try:
    answer = handler(json.loads(Path(sys.argv[4]).read_text(encoding="utf-8")), Context())
except Exception as raised:
    error = {"kind": type(raised).__name__, "message": str(raised)}
told = {"modules": modules, "answer": answer, "error": error}
Path(sys.argv[5]).write_text(json.dumps(told), encoding="utf-8")
