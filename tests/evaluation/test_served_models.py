import pytest

from tvlab.evaluation.score_rows import MODES
from tvlab.evaluation.served_models import served_models
from tvlab.foundation.errors import UserError
from tvlab.foundation.published import published


def test_the_public_baselines_are_rows_with_a_command_to_serve_and_one_to_score():
    models = served_models()
    arms = {model.arm for model in models.values()}
    assert {row["arm"] for row in published()["public_baselines"]["rows"]} <= arms
    for name, model in models.items():
        assert model.model == name
        assert model.mode in MODES
        assert model.checkpoint in model.serve
        assert f"--model {name} " in model.evaluate
        assert "--base-url http://localhost:" in model.evaluate


def test_one_file_of_ones_own_is_read_the_same_way(tmp_path):
    path = tmp_path / "mine.yaml"
    entry = "{arm: tara, checkpoint: ./x, serve: 'go {checkpoint}', mode: native, flags: ''}"
    path.write_text(f"models:\n  mine: {entry}\n")
    assert served_models(path)["mine"].serve == "go ./x"


@pytest.mark.parametrize("text", ["a: [", "models: {m: {arm: x}}", "- 1", "models: {m: {typo: 1, checkpoint: c}}"])
def test_a_bad_file_is_told_in_one_line(tmp_path, text):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match="cannot be read"):
        served_models(path)
