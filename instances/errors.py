"""How slotwise says that its input is wrong: one line, naming the place."""


class InputError(ValueError):
    """Input that cannot be used; the message is one line that says what is wrong and where."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))
