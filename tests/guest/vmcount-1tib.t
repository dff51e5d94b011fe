#!/usr/bin/env python3
"""vmcount-1tib.t: 1 TiB by blocks: 33,554,432 turns, which take a while."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("vmcount-1tib", timeout=400)
