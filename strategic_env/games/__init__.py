"""The games that can be played, each in a folder of the same form."""
