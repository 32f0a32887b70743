"""A repository with a configuration."""

from command_line import READY, TRACKER


def laid_out(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "deploy" / "prod").mkdir(parents=True)
    (tmp_path / "cluster.yaml").write_text((TRACKER / "nodes.yaml").read_text())
    (tmp_path / "deploy" / "prod" / "tracker.yaml").write_text(READY)
    return tmp_path


def configure(repository, text):
    (repository / ".kubelint-gpu.yaml").write_text(text)
