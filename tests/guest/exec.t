#!/usr/bin/env python3
"""exec.t: execve of files that are no programs."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("exec")
