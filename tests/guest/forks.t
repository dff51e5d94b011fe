#!/usr/bin/env python3
"""forks.t: what a child has of its parent, for both ways of munmap and of finding."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("forks", suite.WAYS, mem="96M")
