#!/usr/bin/env python3
"""dev.t: devices without hardware, files without a name, times."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("dev")
