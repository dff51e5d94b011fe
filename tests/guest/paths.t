#!/usr/bin/env python3
"""paths.t: directories, links and names."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("paths")
