"""What every floor stands on: checks of arguments, compilation, random streams, files, optional dependencies."""
