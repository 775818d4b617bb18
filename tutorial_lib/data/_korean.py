"""A particle of Korean has two forms, and the last sound of the word before it chooses."""


def particle(word: str, after_consonant: str, after_vowel: str) -> str:
    """The form that stands behind `word`, which ends in a syllable: 은 or 는, 을 or 를; 로 stands behind ㄹ, too."""
    final = (ord(word[-1]) - ord("가")) % 28  # 0 for none, 8 for ㄹ
    return after_vowel if final == 0 or (after_vowel == "로" and final == 8) else after_consonant
