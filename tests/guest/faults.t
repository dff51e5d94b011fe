#!/usr/bin/env python3
"""faults.t: the signal, code and address of each bad access; the stack's growth."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("faults")
