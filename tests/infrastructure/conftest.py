"""What the infrastructure ring needs before anything imports CDK: the Node beside this Python."""

from __future__ import annotations

import os
import sys
from pathlib import Path

# jsii takes the first Node on the path otherwise, which may be one that it does not support any more.
os.environ.setdefault("JSII_NODE", str(Path(sys.executable).parent / "node"))
