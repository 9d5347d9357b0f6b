#!/usr/bin/env python3
"""Builds scenes: container images from real parts, each with the findings it must give. See README.md beside it."""

import argparse
import importlib
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from scenes import bases, overlay, tools, workshop  # noqa: E402

MODULES = ("runtime_swap", "autoremove", "leaky_history", "layer_shapes", "replaced_files", "database_corners",
           "elf_tables", "invariants_markers", "invariants_files", "invariants_elf", "invariants_packages",
           "invariants_python", "invariants_config", "shipped_policies", "debian_root")
FULL_MODULES = ("debian_transactions",)
SKIPPED = 77


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--out", required=True, help="directory for images, policies and scenes.json")
    arguments.add_argument("--cache", help="directory for downloads and the Debian root (default: OUT/../scene-cache)")
    arguments.add_argument("--only", metavar="NAME", help="only the modules or scenes whose name contains NAME")
    arguments.add_argument("--full", action="store_true", help="also the scenes that need a long time")
    chosen = arguments.parse_args()
    try:
        tools.require_tools()
        tools.enter_private_mounts()
        build(chosen)
    except tools.Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    return 0


def build(chosen):
    began = time.monotonic()
    out = os.path.abspath(chosen.out)
    shop = workshop.Workshop(out, chosen.cache or os.path.join(os.path.dirname(out), "scene-cache"))
    try:
        if not chosen.only or "debian" in chosen.only:
            bases.start_debian(shop)
        for name in MODULES + (FULL_MODULES if chosen.full else ()):
            if chosen.only and chosen.only not in name:
                continue
            started = time.monotonic()
            before = len(shop.scenes)
            importlib.import_module("scenes." + name).build(shop)
            print(f"{name}: {len(shop.scenes) - before} images, {time.monotonic() - started:.1f} s", flush=True)
        shop.write_list(time.monotonic() - began)
        print(f"{len(shop.scenes)} images, {time.monotonic() - began:.1f} s, list in {out}/scenes.json")
    finally:
        overlay.discard(shop.space)


if __name__ == "__main__":
    sys.exit(main())
