"""The plain versions that fast steps are compared with lie in `benchmarks/`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent.parent))
