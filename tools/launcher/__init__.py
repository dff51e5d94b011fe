"""The launcher, tools/run: see there for the parts."""
