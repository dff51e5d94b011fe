#!/usr/bin/env python3
"""remap.t: remap_file_pages, and the VMAs that it leaves, in all ways."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("remap", suite.WAYS)
