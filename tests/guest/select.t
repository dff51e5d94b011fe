#!/usr/bin/env python3
"""select.t: select, sendfile, FIFOs, owners, priorities."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("select")
