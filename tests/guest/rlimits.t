#!/usr/bin/env python3
"""rlimits.t: limits on address space, data and descriptors; overcommit."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("rlimits")
