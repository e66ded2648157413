"""What large collections take: sizes by formula and by simulation, growth as measured here, and plans on paper."""
