"""What rules ask about devices and the claims for them."""
