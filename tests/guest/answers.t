#!/usr/bin/env python3
"""answers.t: small answers of many calls."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("answers")
