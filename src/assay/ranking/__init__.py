"""One ranking for every measure: order, ties, relevance, gains, discounts and segments."""
