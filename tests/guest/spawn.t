#!/usr/bin/env python3
"""spawn.t: vfork, clone, posix_spawn, many children, and too little memory."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("spawn", suite.WAYS, mem="96M")
