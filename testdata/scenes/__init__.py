"""Scenes: container images made from real parts, with what an inspector must find in each."""
