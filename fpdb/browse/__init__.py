"""Browse: pages from a database, made as they are asked for by a server for one user on this machine."""
