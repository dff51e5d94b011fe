#!/usr/bin/env python3
"""signal.t: signals, handlers and the calls they interrupt."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("signal")
