"""Which conventions give the number that another tool printed: what tools do, computed side by side and searched.

    ways      the questions that tools answer differently (axes), and one set of answers
    lists     one run and its judgments, put into any order that a tool uses
    values    the value of each query and the mean, under any set of answers
    tools     which answers each tool gives, with its version and where that is known from
    search    the combinations that give a number; all of them side by side

The arithmetic here is the house's second one, on purpose: slow, plain, and able to be wrong in every way that some
tool is. The first is in the measures; tests hold the two together where the answers are the house's own.
"""
