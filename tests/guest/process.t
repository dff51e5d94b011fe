#!/usr/bin/env python3
"""process.t: what a program learns of itself."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("process")
