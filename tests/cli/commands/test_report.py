"""`kubelint-gpu report merge` as it is called."""

from __future__ import annotations

from click.testing import CliRunner

from kubelint_gpu.cli.main import main


def test_a_link_of_the_checkout_that_leads_outside_is_not_followed(tmp_path, monkeypatch):
    folder = tmp_path / "checkout"
    (folder / ".git").mkdir(parents=True)
    (tmp_path / "report.json").write_text('{"version": "1", "secret": 1}')
    (folder / "report.json").symlink_to("../report.json")
    monkeypatch.chdir(folder)
    ran = CliRunner().invoke(main, ["report", "merge", "report.json"])
    assert ran.exit_code != 0
    assert "it is a link of the checkout, or lies behind one, that leads outside" in ran.output
    assert "secret" not in ran.output
