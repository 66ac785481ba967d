"""images.yaml is read strictly and edited gently."""

from pathlib import Path

import pytest

from windlass.node.images.catalogue import BadRule, Rule
from windlass.node.images.mappings import BadMappings, add, load


def test_a_file_that_is_not_there_maps_nothing(tmp_path: Path) -> None:
    assert load(tmp_path / "images.yaml").images == ()


def test_a_rule_is_put_first_and_comments_stay(tmp_path: Path) -> None:
    path = tmp_path / "images.yaml"
    path.write_text("# mine\nlenient: true\nimages:\n- image: a  # the first\n  python: '3.11'\n")

    assert add(path, Rule(image="b", python="3.12"))

    assert [rule.image for rule in load(path).images] == ["b", "a"]
    assert load(path).lenient
    assert "# mine" in path.read_text()
    assert "# the first" in path.read_text()


def test_a_rule_for_the_same_image_replaces_it_and_lost_comments_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "images.yaml"
    path.write_text("images:\n- image: a  # the first\n  python: '3.11'\n")

    assert not add(path, Rule(image="a", python="3.12"))

    assert load(path).images == (Rule(image="a", python="3.12"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("images: [{image: a, pythn: 3}]", "pythn"),
        ("images: {", "flow node"),
        ("images: [{python: '3.11'}]", "names no image"),
        ("lenent: true", "lenent"),
        ("images: [{image: a, python: 3.10}]", "in quotes"),
        ("images: [{image: a, user: root}]", "user"),
        ("layouts: {team/model: models}", "'models' is not the absolute path of an image layout"),
        ("registries: {localhost: {insecure: true}}", "insecure"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "images.yaml"
    path.write_text(text)

    with pytest.raises(BadMappings, match=said):
        load(path)


def test_a_bad_rule_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(BadRule):
        add(tmp_path / "images.yaml", Rule(image="a", python="x"))

    assert not (tmp_path / "images.yaml").exists()
