"""What the server does besides building pages: how they travel, and how visitors leave."""
