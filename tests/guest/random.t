#!/usr/bin/env python3
"""random.t: random calls against a model, in all ways."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("random", suite.WAYS, seeds=(1, 2), timeout=240)
