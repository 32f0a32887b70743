"""The version of this program and where it lives: the only place where they are written."""

__version__ = "0.1.0"
PROJECT_URL = "https://github.com/kubelint-gpu/kubelint-gpu"
