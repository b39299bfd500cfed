"""The four systems whose runs are bundled with assay, small enough to read in one sitting.

`python examples/build/systems.py FOLDER` reads documents.jsonl and topics.csv in FOLDER and writes

    bm25.run        words, counted (Okapi BM25, k1 1.2, b 0.75, plural s cut off)
    dense.run       meaning: documents and queries as vectors over hand-written concepts, compared by cosine
    first.run       pieces of words: BM25 over groups of four letters, to depth 20; it finds misspelt and joined words
    two-stage.run   first.run put into another order by meaning, by pieces and by words found in the title

Only the standard library is used. Scores are rounded, as engines round them, so that equal scores occur.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

DEPTH = 20

CONCEPTS = """
bike: bike bicycle bikes cycling cycle ride rides riding commute commuting touring city
light: light lights lamp lumen lux beam bright torch headlamp lantern red
front: front handlebar
rear: rear behind back tail
power: usb charge charges charging battery batteries aa coin cell dynamo hub
security: lock locks key keys shackle cable chain steal takes bolt code
helmet: helmet helmets vents visor head dial
rain: rain waterproof wet weather storm spray puddles membrane dry taped cape water bad
wind: wind windcheater windbreaker windy descents
jacket: jacket jackets windcheater anorak coat shell hardshell hood cape
warm: warm winter cold insulating insulated down wool merino lining degrees autumn
hands: gloves glove hands palm fingers fingerless thumb cuff
feet: feet shoes boots socks overshoes shoe sole foot keep
legs: trousers knee knees ankle
carry: pannier panniers bag bags backpack rack carry carries carrying basket pack sack sleeve laptop roll
office: laptop work office commute inch
tyre: tyre tyres tire tires rim rims gravel tubeless tread
tube: tube tubes inner butyl valve valves presta schrader
pump: pump pumps inflate inflatable bar gauge hose
mend: repair puncture patches multitool tool tools mends hex levers
drive: cassette chain teeth speed links quick drives
oil: oil wax lubricant lube grease film dust
brake: brake brakes disc pads rotors squeal quiet stop stops stopping
mudguard: mudguard mudguards fender fenders spray stripe
child: child children kids kid months pushchair trailer
seat: seat seats saddle belt
tent: tent tents person people porches solo fly camp camping
sleep: sleeping sleep mat
hike: hiking hike mountain mountains trekking trail trails mud boots
run: running run runs
ski: ski skiing snow
""".strip().splitlines()

COMMON = "a an and at by do for from how i in is it its no not of on or so that the to when with you your"
STOP = frozenset(COMMON.split(" "))


def words(text: str) -> list[str]:
    """Lower-case runs of letters and digits, without the commonest words and without a plural s."""
    found = [word for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOP]
    return [word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in found]


def pieces(text: str) -> list[str]:
    """Groups of four letters or digits, hyphens closed up; a shorter word is one piece."""
    found = []
    for word in re.findall(r"[a-z0-9]+", re.sub(r"(?<=\w)-(?=\w)", "", text.lower())):
        if word not in STOP:
            found.extend([word] if len(word) <= 4 else [word[i : i + 4] for i in range(len(word) - 3)])
    return found


class Bm25:
    """Okapi BM25 over any cut of a text into terms."""

    def __init__(
        self, documents: dict[str, str], cut: Callable[[str], list[str]], k1: float = 1.2, b: float = 0.75
    ) -> None:
        self.cut, self.k1, self.b = cut, k1, b
        self.counts = {doc_id: Counter(cut(text)) for doc_id, text in documents.items()}
        self.length = {doc_id: counts.total() for doc_id, counts in self.counts.items()}
        self.mean = sum(self.length.values()) / len(self.length)
        self.within = Counter(term for counts in self.counts.values() for term in counts)

    def search(self, query: str) -> dict[str, float]:
        """Documents with at least one term of the query, and their scores."""
        scores: dict[str, float] = {}
        for term in self.cut(query):
            n = self.within[term]
            idf = math.log(1 + (len(self.counts) - n + 0.5) / (n + 0.5))
            for doc_id, counts in self.counts.items():
                if tf := counts[term]:
                    norm = self.k1 * (1 - self.b + self.b * self.length[doc_id] / self.mean)
                    scores[doc_id] = scores.get(doc_id, 0.0) + idf * tf * (self.k1 + 1) / (tf + norm)
        return scores


class Dense:
    """One number a concept for each text, compared by the cosine of the angle."""

    def __init__(self, documents: dict[str, str]) -> None:
        self.concepts: dict[str, list[int]] = {}
        for place, line in enumerate(CONCEPTS):
            for word in words(line.split(":")[1]):
                self.concepts.setdefault(word, []).append(place)
        self.within = Counter(place for text in documents.values() for place in set(self._places(text)))
        self.n = len(documents)
        self.vectors = {doc_id: self.vector(text) for doc_id, text in documents.items()}

    def _places(self, text: str) -> list[int]:
        return [place for word in words(text) for place in self.concepts.get(word, ())]

    def vector(self, text: str) -> list[float]:
        """The text as a vector of length 1, or all zeros when it names no concept."""
        counts = Counter(self._places(text))
        raw = [
            math.sqrt(counts[place]) * math.log(1 + self.n / (1 + self.within[place])) for place in range(len(CONCEPTS))
        ]
        size = math.sqrt(sum(value * value for value in raw)) or 1.0
        return [value / size for value in raw]

    def search(self, query: str) -> dict[str, float]:
        """Every document that shares a concept with the query, and the cosine."""
        asked = self.vector(query)
        cosines = {d: sum(x * y for x, y in zip(asked, v, strict=True)) for d, v in self.vectors.items()}
        return {doc_id: cosine for doc_id, cosine in cosines.items() if cosine > 0}


def top(scores: dict[str, float], digits: int) -> list[tuple[str, float]]:
    """The first documents by rounded score; equal scores by document id, descending."""
    rounded = [(doc_id, round(score, digits)) for doc_id, score in scores.items()]
    by_id = sorted(rounded, key=lambda hit: hit[0], reverse=True)
    return sorted(by_id, key=lambda hit: hit[1], reverse=True)[:DEPTH]


def lines(run: dict[str, list[tuple[str, float]]], digits: int, tag: str) -> str:
    """A run in TREC form."""
    return "".join(
        f"{query_id} Q0 {doc_id} {rank} {score:.{digits}f} {tag}\n"
        for query_id, hits in run.items()
        for rank, (doc_id, score) in enumerate(hits, start=1)
    )


def build(folder: Path) -> dict[str, str]:
    """The text of every run, by file name."""
    rows = [json.loads(line) for line in (folder / "documents.jsonl").read_text("utf-8").splitlines()]
    titles = {row["doc_id"]: row["title"] for row in rows}
    texts = {row["doc_id"]: f"{row['title']} {row['title']} {row['text']}" for row in rows}
    with (folder / "topics.csv").open(encoding="utf-8", newline="") as file:
        topics = {row["query_id"]: row["text"] for row in csv.DictReader(file)}

    by_words, by_pieces, by_meaning = Bm25(texts, words), Bm25(texts, pieces), Dense(texts)
    bm25 = {query_id: top(by_words.search(text), 2) for query_id, text in topics.items()}
    dense = {query_id: top(by_meaning.search(text), 2) for query_id, text in topics.items()}
    first = {query_id: top(by_pieces.search(text), 2) for query_id, text in topics.items()}
    two_stage = {}
    for query_id, text in topics.items():
        best = max((score for _, score in first[query_id]), default=1.0)
        meaning, asked = by_meaning.search(text), set(words(text))
        again = {
            doc_id: 0.4 * meaning.get(doc_id, 0.0)
            + 0.4 * score / best
            + 0.2 * len(asked & set(words(titles[doc_id]))) / len(asked)
            for doc_id, score in first[query_id]
        }
        two_stage[query_id] = top(again, 3)
    return {
        "bm25.run": lines(bm25, 2, "bm25"),
        "dense.run": lines(dense, 2, "dense"),
        "first.run": lines(first, 2, "first"),
        "two-stage.run": lines(two_stage, 3, "two-stage"),
    }


if __name__ == "__main__":
    target = Path(sys.argv[1])
    for name, text in build(target).items():
        (target / name).write_text(text, encoding="utf-8", newline="\n")
