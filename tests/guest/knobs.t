#!/usr/bin/env python3
"""knobs.t: /proc/sys/vm."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import suite

suite.run_suite("knobs", ("vm.zap=work vm.find=list", "vm.zap=block vm.find=gap"))
