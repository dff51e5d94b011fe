#!/usr/bin/env python3
"""bugs.t: mistakes that kernels made, in all ways."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("bugs", suite.WAYS)
