"""What shows that a verdict holds, and the checker that looks at it without knowing who gave the verdict."""
