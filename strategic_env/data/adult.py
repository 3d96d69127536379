"""A census survey as numbers, oriented so that larger goes with more income: 4,000 people, 1,013 above $50,000."""

from strategic_env.data.coded import OTHERS, CodedTable, Column, GroupColumn

COLUMNS = (
    Column("age", 0.0, "Fixed, and protected."),
    Column(
        "workclass",
        0.25,
        "Incorporating a business costs money. The order comes from the data.",
        (
            ("Without-pay", "Never-worked"),
            ("Private",),
            ("State-gov", "Local-gov", "Self-emp-not-inc"),
            ("Federal-gov",),
            ("Self-emp-inc",),
        ),
    ),
    Column("education_num", 0.1, "It takes years, and a certificate."),
    Column(
        "marital_status",
        0.0,
        "In the register, and protected.",
        (
            ("Divorced", "Married-spouse-absent", "Never-married", "Separated", "Widowed"),
            ("Married-civ-spouse", "Married-AF-spouse"),
        ),
    ),
    Column(
        "occupation",
        0.25,
        "A title can be embellished. Five groups by their share of high incomes in the data.",
        (
            ("Priv-house-serv", "Other-service", "Handlers-cleaners"),
            ("Armed-Forces", "Farming-fishing", "Machine-op-inspct", "Adm-clerical"),
            ("Transport-moving", "Craft-repair"),
            ("Sales", "Tech-support", "Protective-serv"),
            ("Prof-specialty", "Exec-managerial"),
        ),
    ),
    Column("capital_gain", 0.5, "A sale can be timed. 328 people have any.", logarithm=True),
    Column("capital_loss", 0.25, "A loss proves that there was something to lose.", logarithm=True),
    Column("hours_per_week", 0.5, "Overtime can be taken, or claimed."),
    Column("native_country", 0.0, "Fixed, and protected.", (OTHERS, ("United-States",))),
)
LABEL = Column("income", 0.0, "What the learner predicts.", (("<=50K",), (">50K",)))
RACES = ("White", "Black", "other")


def race(entry: str) -> str:
    """Return the group of an entry: of the three smallest there are too few to tell apart."""
    return entry if entry in RACES else "other"


GROUPS = (GroupColumn("sex", "sex", ("Female", "Male")), GroupColumn("race", "race", RACES, race))
ADULT = CodedTable("adult_sample.csv.gz", COLUMNS, LABEL, left_out=("relationship", "race", "sex"), groups=GROUPS)
