#!/usr/bin/env python3
"""proc.t: what /proc tells of a process."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("proc")
