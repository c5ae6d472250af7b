"""`python3 -I verifier INSTANCE RESULT CERTIFICATE` runs `judge.py`, wherever the folder lies."""

import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import_module("verifier")
del sys.path[0]  # the rest is found in that folder alone, not among what lies beside it
sys.exit(import_module("verifier.judge").main(sys.argv[1:]))
