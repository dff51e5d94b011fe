#!/usr/bin/env python3
"""entry.t: registers and flags over system calls and interrupts."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("entry")
