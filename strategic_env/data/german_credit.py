"""German credit as numbers: 1,000 loan applicants whose features are oriented so that larger is better."""

from strategic_env.data.coded import CodedTable, Column, GroupColumn

COLUMNS = (
    Column(
        "status_of_existing_checking_account",
        1.0,
        "Money can be moved in for a day, or an overdrawn account closed. By the label, having no account should not "
        "be best; those applicants repay most often by far, so the data decides.",
        (
            ("... < 0 DM",),
            ("0 <= ... < 200 DM",),
            ("... >= 200 DM / salary assignments for at least 1 year",),
            ("no checking account",),
        ),
    ),
    Column("duration_in_month", 0.5, "One can ask for a shorter loan, at the price of higher instalments.", sign=-1),
    Column(
        "credit_history",
        0.0,
        "On record. The labels suggest nearly the reverse order; the data decides, and does not tell the two middle "
        "ones apart.",
        (
            ("no credits taken/ all credits paid back duly",),
            ("all credits at this bank paid back duly",),
            ("delay in paying off in the past", "existing credits paid back duly till now"),
            ("critical account/ other credits existing (not at this bank)",),
        ),
    ),
    Column(
        "purpose",
        1.0,
        "What the money is for is a statement on the form. Purposes have no order of their own: three groups by "
        "their share of good loans here (below 65 %, up to 75 %, above).",
        (
            ("car (new)", "business", "education", "repairs", "others"),
            ("furniture/equipment", "domestic appliances"),
            ("radio/television", "car (used)", "retraining"),
        ),
    ),
    Column("credit_amount", 0.5, "One can ask for less than one wants.", sign=-1),
    Column(
        "savings_account_and_bonds",
        0.25,
        "Money can be borrowed from the family, but it is wanted back. Unknown savings repay like 500 to 1,000 DM, "
        "so the data puts them there.",
        (
            ("... < 100 DM",),
            ("100 <= ... < 500 DM",),
            ("500 <= ... < 1000 DM", "unknown/ no savings account"),
            ("... >= 1000 DM",),
        ),
    ),
    Column(
        "present_employment_since",
        0.1,
        "Staying in a job takes time, and the employer certifies it.",
        (("unemployed",), ("... < 1 year",), ("1 <= ... < 4 years",), ("4 <= ... < 7 years",), ("... >= 7 years",)),
    ),
    Column(
        "installment_rate_in_percentage_of_disposable_income",
        0.5,
        "Income can be rounded up, or smaller instalments agreed.",
        sign=-1,
    ),
    Column(
        "personal_status_and_sex",
        0.0,
        "Fixed, and protected. Two groups by their share of good loans (60 to 65 %, and 73 %): the data tells no more "
        "apart, and the categories do not give a sex (below).",
        (
            ("female : divorced/separated/married", "male : divorced/separated"),
            ("male : single", "male : married/widowed"),
        ),
    ),
    Column(
        "other_debtors_or_guarantors",
        0.25,
        "A guarantor has to be found and to agree.",
        (("co-applicant",), ("none",), ("guarantor",)),
    ),
    Column("present_residence_since", 0.0, "In the residents' register. Longer should be better; the data is silent."),
    Column(
        "property",
        0.25,
        "A contract with a building society can be bought; a house hardly.",
        (
            ("unknown / no property",),
            ("car or other, not in attribute Savings account/bonds",),
            ("building society savings agreement/ life insurance",),
            ("real estate",),
        ),
    ),
    Column("age_in_years", 0.0, "Fixed, and protected. Older applicants repay more often."),
    Column(
        "other_installment_plans",
        0.5,
        "Plans elsewhere can be settled first, or kept quiet.",
        (("bank",), ("stores",), ("none",)),
    ),
    Column("housing", 0.1, "Few move house for a loan.", (("for free",), ("rent",), ("own",))),
    Column(
        "number_of_existing_credits_at_this_bank",
        0.0,
        "In the lender's own books. More could mean debt or trust; the data leans to trust.",
    ),
    Column(
        "job",
        0.1,
        "A title can be embellished, a job hardly. The data leans to the reverse order, within its noise, so the "
        "meaning decides.",
        (
            ("unemployed/ unskilled - non-resident",),
            ("unskilled - resident",),
            ("skilled employee / official",),
            ("management/ self-employed/ highly qualified employee/ officer",),
        ),
    ),
    Column(
        "number_of_people_being_liable_to_provide_maintenance_for",
        0.0,
        "In the register. Fewer should be better; the data is silent.",
        sign=-1,
    ),
    Column(
        "telephone",
        1.0,
        "A telephone can be registered for a small fee.",
        (("none",), ("yes, registered under the customers name",)),
    ),
    Column("foreign_worker", 0.0, "Fixed, and protected. The 37 others repay more often.", (("yes",), ("no",))),
)
LABEL = Column("creditability", 0.0, "What the learner predicts.", (("bad",), ("good",)))
YOUNG, OLD = "25 and younger", "older"
OLDEST_YOUNG = 25


def age_group(entry: str) -> str:
    """Return the group of an age."""
    return YOUNG if float(entry) <= OLDEST_YOUNG else OLD


# Not by sex, which the data do not give (docs/german_credit.md).
GROUPS = (GroupColumn("age", "age_in_years", (YOUNG, OLD), age_group),)
GERMAN_CREDIT = CodedTable("german_credit.csv", COLUMNS, LABEL, groups=GROUPS)
