#!/usr/bin/env python3
"""madvise.t: DONTNEED, advice for fork, and mincore."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("madvise")
