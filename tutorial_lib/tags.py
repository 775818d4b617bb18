"""From marked names to a tag for each token and back, and the score that counts whole names.

A place is (start, end) in characters, end exclusive; a span adds the type. BIO tags: B-PER begins a name, I-PER goes on with it,
O is outside. Source: Ramshaw and Marcus 1995 (tags), Tjong Kim Sang and De Meulder 2003 (score).
"""

from collections.abc import Iterable, Sequence

Span = tuple[int, int, str]


def places(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Where each token stands in `text`; a leading ▁, which stands for a blank, is not looked for.

    Raises: ValueError for a token that does not come next in the text.
    """
    found, at = [], 0
    for token in tokens:
        word = token.removeprefix("▁")
        start = text.find(word, at)
        if start < 0 or text[at:start].strip():
            raise ValueError(f"the token {token!r} does not come next in {text[at:]!r}")
        at = start + len(word)
        found.append((start, at))
    return found


def to_tags(places: Iterable[tuple[int, int]], spans: Iterable[Span]) -> list[str]:
    """The BIO tag of each token: the first that overlaps a span begins it, the others that overlap it are inside."""
    spans, begun, tags = list(spans), set(), []
    for start, end in places:
        here = next((span for span in spans if max(start, span[0]) < min(end, span[1])), None)
        tags.append("O" if here is None else f"{'I' if here in begun else 'B'}-{here[2]}")
        begun.add(here)
    return tags


def to_spans(tags: Sequence[str]) -> list[Span]:
    """The names in a row of tags, as (first token, behind the last, type).

    An I- that continues nothing begins a name of its own: a model may write so, and its tokens are not thrown away.
    Raises: ValueError for what is no BIO tag.
    """
    spans = []
    for i, tag in enumerate(tags):
        mark, _, kind = tag.partition("-")
        if tag != "O" and (mark not in ("B", "I") or not kind):
            raise ValueError(f"tag {i} must be O, B-… or I-…, got {tag!r}")
        if mark == "I" and spans and spans[-1][1:] == (i, kind):
            spans[-1] = (spans[-1][0], i + 1, kind)
        elif tag != "O":
            spans.append((i, i + 1, kind))
    return spans


def entity_scores(true: Sequence[Sequence[str]], said: Sequence[Sequence[str]]) -> dict[str, float]:
    """precision, recall and f1 over whole names: right is a name with the right first token, last token and type.

    Raises: ValueError for sentences or rows of unequal length. Nothing said, or nothing there, counts 0.
    """
    if [len(tags) for tags in true] != [len(tags) for tags in said]:
        raise ValueError(f"a tag is needed for each token: {sum(map(len, true))} true ones, {sum(map(len, said))} said")
    wanted = {(row, *span) for row, tags in enumerate(true) for span in to_spans(tags)}
    found = {(row, *span) for row, tags in enumerate(said) for span in to_spans(tags)}
    right = len(wanted & found)
    precision, recall = right / max(1, len(found)), right / max(1, len(wanted))
    f1 = 2 * right / max(1, len(found) + len(wanted))
    return {"precision": precision, "recall": recall, "f1": f1}
