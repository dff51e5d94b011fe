#!/usr/bin/env python3
"""vmcount.t: the counts of Holt's mail; begun in both ways, to see that the knob at boot does no harm."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("vmcount", ("vm.zap=work", "vm.zap=block"), 240, "256M")
