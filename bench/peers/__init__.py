"""One script a peer, run by an interpreter that has the peer: RUN QRELS in, `measure query value` lines out."""
