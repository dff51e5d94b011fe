#!/usr/bin/env python3
"""maps.t: /proc/self/maps, in all ways."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("maps", suite.WAYS)
