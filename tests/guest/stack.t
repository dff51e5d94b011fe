#!/usr/bin/env python3
"""stack.t: the stack grows, and keeps away from others; in all ways."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("stack", suite.WAYS)
