"""Pages for readers: one file, nothing fetched from elsewhere."""
