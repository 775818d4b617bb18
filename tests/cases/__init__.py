"""Faults that real people met, each as a test of its own."""


def told(call) -> str:
    """What the ValueError of `call` says, or "nothing"."""
    try:
        call()
    except ValueError as error:
        return str(error)
    return "nothing"
