#!/usr/bin/env python3
"""junk.t: system calls with junk arguments, with several seeds."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("junk", seeds=(1, 2, 3))
