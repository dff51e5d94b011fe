#!/usr/bin/env python3
"""memory.t: what is given back is there again."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("memory", ("vm.zap=work", "vm.zap=block"), 240, "128M")
