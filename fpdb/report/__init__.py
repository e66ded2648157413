"""Reports: answers and pairs with their evidence on one page that a browser shows without a network."""
