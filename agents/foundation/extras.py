"""Optional dependencies: what to install where one is missing."""


def missing_extra(purpose: str, package: str, extra: str) -> ImportError:
    """Return the error that says which extra of this project brings the package that the purpose needs."""
    return ImportError(f'{purpose} needs {package}: pip install "strategic-env[{extra}]"')
