"""One set of keys for all tests here: making them takes a moment, and nobody changes them."""

import pytest

from windlass.apiserver.auth.jws import SigningKey
from windlass.apiserver.pki import Pki


@pytest.fixture(scope="session")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return Pki.load_or_create(tmp_path_factory.mktemp("pki"), ["windlass.example"])


@pytest.fixture(scope="session")
def signing_key(pki: Pki) -> SigningKey:
    return SigningKey(pki.service_account_key_file)
