"""Spambase as numbers: 4,597 e-mails, each spam or wanted.

The columns count words, characters and capitals, with long tails. Each is replaced by ``log(1 + x)``, before it is
brought to mean 0 and standard deviation 1 over all e-mails, and a column of ones is appended, since linear learners of
labels have no intercept of their own: 58 features.
"""

import gzip
from functools import cache
from importlib.resources import files

import numpy as np

from agents.foundation.tables import table_of
from agents.foundation.typing import Float, Int
from agents.populations.labelled import LabelledData

SPAM, WANTED = range(2)
COLUMNS = 57


def load(noise: float = 0.0) -> LabelledData:
    """Return the e-mails that come with the package, label 0 (1,812 spam) or 1 (2,785 wanted).

    Under apple tasting the last label is the action that shows the truth: to deliver an e-mail.
    """
    features, labels = _emails()
    return LabelledData(features, labels, standardise=False, noise=noise)


@cache
def _emails() -> tuple[Float, Int]:
    """Return features (4597, 58) and labels (4597,), read-only: read once, and copied by every population."""
    packed = files("strategic_env").joinpath("data/spambase.csv.gz").read_bytes()
    heading, rows = table_of(gzip.decompress(packed).decode("ascii").splitlines())
    if len(heading) != COLUMNS + 1 or heading[-1] != "spam":
        raise ValueError(f"the heading must name {COLUMNS} columns and 'spam', got {heading}")
    table = np.array([row for _, row in rows], dtype=np.float64)
    labels = np.where(table[:, -1] == 1.0, SPAM, WANTED)
    emails = LabelledData(np.log1p(table[:, :-1]), labels, intercept=True)
    for array in (emails.features, emails.labels):
        array.setflags(write=False)
    return emails.features, emails.labels
