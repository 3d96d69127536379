"""Web sites as numbers, oriented so that larger is more honest: 1,250 sites, 548 legitimate, 702 phishing.

The raw values are 0, 0.5 or 1, where 1 is the bad end of every column but ``web_traffic``.
"""

from strategic_env.data.coded import CodedTable, Column

COLUMNS = (
    Column("sfh", 1.0, "A form's empty or foreign handler is one line of HTML.", sign=-1),
    Column("popup_window", 1.0, "A pop-up window that asks for data can be removed.", sign=-1),
    Column("ssl_final_state", 0.5, "No trusted https: a certificate costs money and a check.", sign=-1),
    Column("request_url", 0.5, "Objects from other domains: the files can be copied to the own host.", sign=-1),
    Column("url_of_anchor", 1.0, "Links to other domains can be edited.", sign=-1),
    Column("web_traffic", 0.1, "Visits take months or money."),
    Column("url_length", 0.5, "A long address: a shorter path is a concession.", sign=-1),
    Column("age_of_domain", 0.0, "A young domain is on the registry's record.", sign=-1),
    Column("having_ip_address", 0.5, "An address of digits: a domain can be registered.", sign=-1),
)
LABEL = Column("legitimate", 0.0, "What the learner predicts.", (("0",), ("1",)))
PHISHING = CodedTable("phishing.csv", COLUMNS, LABEL)
