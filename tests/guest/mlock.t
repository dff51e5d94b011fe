#!/usr/bin/env python3
"""mlock.t: locked memory and its count; msync."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("mlock")
