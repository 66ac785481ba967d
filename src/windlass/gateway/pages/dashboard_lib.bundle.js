// For apps that the dashboard shows in a frame: which namespace is selected.
// window.centraldashboard.CentralDashboardEventHandler.init((handler, isFramed) => {
//   handler.onNamespaceSelected = (namespace) => ...
// });
(() => {
  "use strict";

  const CONNECTED = "iframe-connected";
  const PARENT_CONNECTED = "parent-connected";
  const NAMESPACE_SELECTED = "namespace-selected";
  const ALL_NAMESPACES = "all-namespaces";
  const SETTINGS = "/api/dashboard-settings";

  class Handler {
    constructor() {
      this.onParentConnected = null;
      this.onNamespaceSelected = null;
      this.onAllNamespacesSelected = null;
      this.listening = false;
    }

    init(onReady, keepOutOfFrame = false) {
      const isFramed = window.parent !== window;
      if (isFramed) {
        this.listen();
      } else if (!keepOutOfFrame) {
        enterFrameIfAsked();
      }
      onReady(this, isFramed);
      if (isFramed) {
        window.parent.postMessage({ type: CONNECTED }, window.location.origin);
      }
    }

    detach() {
      window.removeEventListener("message", this.receive);
      this.listening = false;
    }

    listen() {
      if (this.listening) return;
      this.listening = true;
      this.receive = (event) => {
        if (event.origin !== window.location.origin || event.source !== window.parent) return;
        this.handle(event.data);
      };
      window.addEventListener("message", this.receive);
    }

    handle(data) {
      if (typeof data !== "object" || data === null) return;
      if (data.type === PARENT_CONNECTED) this.onParentConnected?.(data);
      else if (data.type === NAMESPACE_SELECTED) this.onNamespaceSelected?.(data.value);
      else if (data.type === ALL_NAMESPACES) this.onAllNamespacesSelected?.(data.value);
    }
  }

  // An app that was opened by its own address is shown in the dashboard where the settings ask for that.
  async function enterFrameIfAsked() {
    try {
      const response = await fetch(SETTINGS, { credentials: "same-origin", headers: { Accept: "application/json" } });
      const settings = response.ok ? await response.json() : {};
      if (settings.DASHBOARD_FORCE_IFRAME) {
        const { pathname, search, hash } = window.location;
        window.location.replace(`/_${pathname}${search}${hash}`);
      }
    } catch {
      // Without the dashboard's settings the app stays where it is.
    }
  }

  window.centraldashboard = Object.freeze({
    CentralDashboardEventHandler: new Handler(),
    PARENT_CONNECTED_EVENT: PARENT_CONNECTED,
    NAMESPACE_SELECTED_EVENT: NAMESPACE_SELECTED,
    ALL_NAMESPACES_EVENT: ALL_NAMESPACES,
  });
})();
