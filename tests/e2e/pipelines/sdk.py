"""kfp's own SDKs, each in an environment of its own, as programs that tell stories."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.notebooks.desk import Desk
from tests.e2e.training.sdk_environment import run_story, sdk_python

HERE = Path(__file__).parent
KFP2 = ("kfp-kubernetes==2.17.0", "kfp==2.17.0", "pip")
HERA = ("hera==7.1.0",)
KFP1 = ("kfp==1.8.22", "setuptools<81")


@dataclass(frozen=True)
class Kfp:
    """A person with the SDK, signed in by an access token."""

    url: str
    token: str
    namespace: str

    @classmethod
    def of(cls, desk: Desk) -> "Kfp":
        done = desk.platform.windlass("user", "token", desk.person.email, "--name", "kfp")
        assert done.returncode == 0, done.stderr
        return cls(desk.platform.url, done.stdout.split()[-1], desk.namespace)

    def story(self, name: str, *words: str, within: float = 300.0) -> Any:
        """What a story of kfp2_stories.py found out."""
        arguments = (name, f"{self.url}/pipeline", self.token, self.namespace, *words)
        return run_story(sdk_python(*KFP2), HERE / "kfp2_stories.py", arguments, within)

    def run_features(self) -> Any:
        """What became of every pipeline of kfp2_feature_stories.py, by name."""
        words = (f"{self.url}/pipeline", self.token, self.namespace)
        return run_story(sdk_python(*KFP2), HERE / "kfp2_feature_stories.py", words, 240)

    def run_stories(self, program: str) -> Any:
        """What a program of stories found out."""
        words = (f"{self.url}/pipeline", self.token, self.namespace)
        return run_story(sdk_python(*KFP2), HERE / program, words, 240)

    def look_back(self) -> Any:
        """What a task found in the metadata store; see kfp2_metadata_stories.py."""
        words = (f"{self.url}/pipeline", self.token, self.namespace)
        return run_story(sdk_python(*KFP2), HERE / "kfp2_metadata_stories.py", words, 240)

    def v1_story(self, name: str, *words: str, within: float = 300.0) -> Any:
        arguments = (name, f"{self.url}/pipeline", self.token, self.namespace, *words)
        return run_story(sdk_python(*KFP1), HERE / "kfp1_stories.py", arguments, within)

    def features_of_v1(self, account: str) -> Any:
        """What became of every pipeline of kfp1_feature_stories.py, by name."""
        words = (f"{self.url}/pipeline", self.token, self.namespace, account)
        return run_story(sdk_python(*KFP1), HERE / "kfp1_feature_stories.py", words, 240)

    def run_hera_stories(self) -> Any:
        """What every story of hera_stories.py found out, by name."""
        words = (f"{self.url}/argo/", self.token, self.namespace)
        return run_story(sdk_python(*HERA), HERE / "hera_stories.py", words, 240)

    def run_script(self, script: Path) -> str:
        """Run a program that takes host, token and namespace; answers what it prints."""
        words = [str(sdk_python(*KFP2)), str(script), f"{self.url}/pipeline", self.token, self.namespace]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout.strip()
