"""``python -m strategic_env`` is the command line."""

from strategic_env.cli.commands import main

if __name__ == "__main__":
    main()
