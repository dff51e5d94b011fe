#!/usr/bin/env python3
"""mremap.t: moving, growing and shrinking maps, in all ways."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("mremap", suite.WAYS)
