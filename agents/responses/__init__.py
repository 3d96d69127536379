"""How people answer a published classifier."""
