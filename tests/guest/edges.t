#!/usr/bin/env python3
"""edges.t: calls whose buffer ends at each byte around an edge."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("edges")
