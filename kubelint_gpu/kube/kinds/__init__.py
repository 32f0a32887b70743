"""Custom resources that hold pod templates."""
