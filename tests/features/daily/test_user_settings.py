"""Where the user's own settings are."""

from __future__ import annotations

import pytest

from agentws.core import environment


@pytest.mark.parametrize(
    ("config", "home", "path"),
    [
        ("/srv/settings", "/home/sam", "/srv/settings/agentws/config.toml"),
        (None, "/home/sam", "/home/sam/.config/agentws/config.toml"),
        ("settings", "/home/sam", "/home/sam/.config/agentws/config.toml"),
        (None, None, None),
        (None, "relative", None),
    ],
)
def test_they_are_in_the_folder_for_settings_else_at_home(
    monkeypatch: pytest.MonkeyPatch, config: str | None, home: str | None, path: str | None
) -> None:
    for name, value in (("XDG_CONFIG_HOME", config), ("HOME", home)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)

    assert environment.user_settings() == path
