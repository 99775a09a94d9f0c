"""The record of a whole corpus: what stands beside the paper's figures, and what an old record says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tvlab.reporting import plots_scale

RECORD: dict[str, Any] = {
    "code": "old",
    "servers": 10,
    "tools": 100,
    "kept": 40,
    "environments": 6,
    "carrying_tasks": 5,
    "mean_tools": 6.7,
    "top_20_servers_share": 0.5,
    "tools_by_kind": {"stateful": 30, "fact table": 10},
    "narrowed_parameters": 1200,
    "narrowed_sentences": 30,
    "tools_with_narrowed_texts": 12,
    "seconds": 3.0,
    "top_reasons": [{"stage": "meaning", "reason": "unclear verb", "tools": 25}],
    "macro_domains": [{"domain": "other", "environments": 6, "tools": 40}],
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TVLAB_HOME", str(tmp_path))
    (tmp_path / "benchmarks").mkdir()
    return tmp_path / "benchmarks"


def test_without_records_there_is_nothing_to_show(project: Path) -> None:
    assert plots_scale.corpus_record() is None
    assert plots_scale.audit_table() is None
    assert plots_scale.fidelity_table() is None


def test_a_record_of_other_code_says_so(project: Path) -> None:
    (project / "corpus_build.json").write_text(json.dumps(RECORD))
    record = plots_scale.corpus_record()
    assert record == RECORD
    assert not plots_scale.record_is_current(record)


def test_measured_and_published_stand_in_columns_of_their_own() -> None:
    table = plots_scale.yield_table(RECORD).set_index("what")
    assert list(table.columns) == ["measured", "published"]
    assert table.loc["tools kept"].tolist() == ["40", "4,438"]
    assert table.loc["share of tools dropped"].tolist() == ["60%", "20%"]
    assert "12.2" in table.loc["tools an environment", "published"]
    assert "10.5" in table.loc["tools an environment", "published"]
    assert table.loc["optional parameters narrowed away", "measured"] == "1,200"
    assert table.loc["sentences taken out of published texts", "measured"] == "30 in 12 tools"
    assert plots_scale.reason_table(RECORD)["share"].tolist() == [0.25]


def test_audit_rates_by_round_with_wilson_intervals(project: Path) -> None:
    verdicts = [(1, "wrong", "wrong", "")] * 10 + [(1, "right", "wrong", "")] * 5
    verdicts += [(1, "right", "right", "")] * 85
    verdicts += [(2, "right", "right", "wrong")] * 20 + [(2, "right", "right", "right")] * 30
    table = pd.DataFrame(verdicts, columns=["round", "verdict", "original", "values"])
    table.to_csv(project / "audit.csv", index=False)
    first, second = plots_scale.audit_table().to_dict("records")
    assert first["rate"] == pytest.approx(0.1)
    assert first["low"] == pytest.approx(0.0552, abs=1e-4)
    assert first["high"] == pytest.approx(0.1744, abs=1e-4)
    assert (first["original_wrong"], first["original_rate"]) == (15, pytest.approx(0.15))
    assert first["original_low"] < 0.15 < first["original_high"]
    assert pd.isna(first["values_rate"])
    assert second["wrong"] == second["original_wrong"] == 0
    assert second["values_rate"] == pytest.approx(0.4)
    assert second["low"] == pytest.approx(0)
    assert second["high"] > 0.05


def test_agreement_counts_only_calls_where_the_question_arises(project: Path) -> None:
    rows = [
        {"server": "a", "kept": True, "success": True, "shape": None, "fields": 0.5, "effect": False},
        {"server": "a", "kept": True, "success": False, "shape": None, "fields": None, "effect": None},
        {"server": "b", "kept": False, "success": None, "shape": None, "fields": None, "effect": None},
    ]
    pd.DataFrame(rows).to_csv(project / "fidelity.csv", index=False)
    table = plots_scale.fidelity_table().set_index("server")
    assert table.loc["a", ["calls", "on_kept_tools", "n_success", "n_effect"]].tolist() == [2, 2, 2, 1]
    assert table.loc["a", "success"] == 0.5
    assert table.loc["a", "effect"] == 0
    assert table.loc["a", "fields"] == 0.5
    assert pd.isna(table.loc["b", "success"])
    assert table.loc["all", "calls"] == 3
