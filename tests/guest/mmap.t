#!/usr/bin/env python3
"""mmap.t: mmap on anonymous memory, in all ways of unmapping and searching."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("mmap", suite.WAYS)
