"""The version of this program and its web address; they are written only here."""

__version__ = "0.1.0"
PROJECT_URL = "https://github.com/kubelint-gpu/kubelint-gpu"
