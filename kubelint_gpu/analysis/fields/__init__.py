"""Fields that the API server does not know, or refuses."""
