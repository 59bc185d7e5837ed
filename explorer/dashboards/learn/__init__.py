"""Pages without a session: the story at the root, the course, and the glossary."""
