"""What builds and checks the notebooks. Nothing in tutorial_lib imports it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
