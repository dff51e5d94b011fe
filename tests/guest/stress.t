#!/usr/bin/env python3
"""stress.t: signals at every moment of pipes, waits and faults."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("stress")
