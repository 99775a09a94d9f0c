"""What verl imports first in each of its processes (VERL_USE_EXTERNAL_MODULES): the platform, where there is no GPU."""

from __future__ import annotations

import importlib
import os

if os.environ.get("VERL_PLATFORM", "").strip().lower() == "cpu":
    importlib.import_module("tvlab.learning.verl.cpu_platform")
