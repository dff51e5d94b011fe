#!/usr/bin/env python3
"""proc-machine.t: the files of /proc about the machine, and reading all of them."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("proc-machine")
