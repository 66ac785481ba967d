"""Apps of others in a frame follow the namespace that the dashboard has selected, and nobody else."""

import pytest

from tests.e2e.browser.tab import Tab
from tests.gateway.browser import a_person
from tests.gateway.platform import Platform

# What the dashboard does around a frame, and an app in it that writes down what it is sent. Before the dashboard does,
# a frame of no origin beside it writes to the app.
PARENT = """() => new Promise((resolve) => {
  const frame = document.createElement("iframe");
  const received = [];
  const intrude = () => {
    const stranger = document.createElement("iframe");
    stranger.sandbox = "allow-scripts";
    stranger.srcdoc = `<script>
      parent.frames[0].postMessage({ type: "namespace-selected", value: "theirs" }, "*");
      parent.postMessage({ type: "intruded" }, "*");
    </script>`;
    document.body.append(stranger);
  };
  window.addEventListener("message", (event) => {
    if (event.data.type === "received" && received.push(event.data.value) === 3) resolve(received);
    if (event.data.type === "iframe-connected") intrude();
    if (event.data.type !== "intruded") return;
    for (const [type, value] of [["parent-connected", null], ["namespace-selected", "ml"], ["all-namespaces", ["a"]]])
      frame.contentWindow.postMessage({ type, value }, location.origin);
  });
  frame.src = "/dashboard_lib.bundle.js";
  frame.onload = () => {
    const app = frame.contentWindow;
    const script = app.document.createElement("script");
    script.src = "/dashboard_lib.bundle.js";
    script.onload = () => app.centraldashboard.CentralDashboardEventHandler.init((handler, isFramed) => {
      const note = (value) => app.parent.postMessage({ type: "received", value }, location.origin);
      handler.onParentConnected = () => note(`connected ${isFramed}`);
      handler.onNamespaceSelected = note;
      handler.onAllNamespacesSelected = (names) => note(names.join());
    });
    app.document.head.append(script);
  };
  document.body.append(frame);
})"""


@pytest.mark.timeout(600)
def test_a_framed_app_follows_the_dashboard_and_no_other_frame(platform: Platform, tab: Tab) -> None:
    tab.sign_in(a_person(platform, "framed@example.com"))
    tab.page.goto("/healthz")

    assert tab.page.evaluate(PARENT) == ["connected true", "ml", "a"]
