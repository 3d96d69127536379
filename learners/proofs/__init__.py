"""Proofs that run: the invariants behind the mistake bounds, and a certificate that checks them at every step."""
