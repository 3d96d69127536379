"""Real data with its sources, licences and codings, and what reads it."""
