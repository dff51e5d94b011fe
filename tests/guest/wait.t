#!/usr/bin/env python3
"""wait.t: how children end and what their parents learn of it."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("wait")
