"""Train on domains and environments of real servers: the points of notebook 08 that a corpus gives.

    python benchmarks/corpus_scale.py ../shared/mcp/corpus.jsonl --counts 8,13,100

A corpus is not part of the project; the table goes to ``corpus_scale.csv``. Points beyond the training domains add
environments of the corpus; the held-out domains are those of notebook 08. Not checked: that no server of the corpus
does what a held-out domain does.
"""

import argparse
from pathlib import Path

from tvlab.evaluation.lab_experiment import run_grid
from tvlab.evaluation.lab_studies import listed, scale_jobs
from tvlab.reporting.lab_tables import lab_differences, lab_scores


def main() -> None:
    """Parse the command line, run, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--profile", default="full")
    parser.add_argument("--arms", default="tara")
    parser.add_argument("--counts", default="8,13,100")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "corpus_scale.csv")
    options = parser.parse_args()
    counts = [int(count) for count in listed(options.counts)]
    jobs = scale_jobs(options.profile, listed(options.arms), corpus=options.corpus, counts=counts)
    rows = run_grid(jobs, options.workers).evaluation
    scores = lab_scores(rows, ("items", "arm", "environments", "items_total", "source"))
    named = rows.assign(count=rows["environments"].astype(str))
    pairs = [(str(count), str(counts[0])) for count in counts[1:]]
    against = lab_differences(named, pairs, ("items", "arm"), arm="count")
    against["environments"] = against["first"].astype(int)
    told = against[["items", "arm", "environments", "difference", "low", "high", "p_holm"]]
    told = told.rename(columns={"low": "difference_low", "high": "difference_high"})
    table = scores.merge(told, on=["items", "arm", "environments"], how="left").assign(profile=options.profile)
    table.to_csv(options.out, index=False, float_format="%.4f", lineterminator="\n")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
