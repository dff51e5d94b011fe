#!/usr/bin/env python3
"""limits.t: vm.max_map_count, in all ways."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("limits", suite.WAYS)
