#!/usr/bin/env python3
"""cow.t: memory across fork."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("cow", suite.WAYS, timeout=240)
