#!/usr/bin/env python3
"""mmap-file.t: maps of files, in all ways."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("mmap-file", suite.WAYS)
