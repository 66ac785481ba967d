import { useLocation } from "@tanstack/react-router";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { useNamespaceInUrl } from "../../../../api/namespace";
import { SESSION_KEY, type Membership, type Session } from "../../../../api/session";
import { renderPage, stubFetch } from "../../../../testing/render";
import { DangerZone } from "./RecycleBin";

// Menus and dialogs take long to draw on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

const ML: Membership = { namespace: "ml", role: "owner" };
const VISION: Membership = { namespace: "vision", role: "contributor" };
const SESSION: Session = { user: "ada@example.com", version: "", logoutUrl: "", isClusterAdmin: false, hasMachineView: false, memberships: [ML, VISION], hasWorkgroup: true, registrationAllowed: true };

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

function Page() {
  useNamespaceInUrl();
  return (
    <>
      <output>{useLocation().href}</output>
      <DangerZone namespace="ml" />
    </>
  );
}

const address = () => document.querySelector("output")?.textContent;

test("who deletes the chosen namespace is led to another", async () => {
  stubFetch((_, path) => ({ body: path.endsWith("/env-info") ? { user: SESSION.user, platform: { kubeflowVersion: "", logoutUrl: "" }, namespaces: [VISION], isClusterAdmin: false, hasMachineView: false } : {} }));
  await renderPage(<Page />, { answers: [[SESSION_KEY, SESSION]] });
  await vi.waitFor(() => expect(address()).toBe("/?ns=ml"));
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Delete this namespace" }));
  const dialog = within(screen.getByRole("dialog"));
  await user.type(dialog.getByRole("textbox"), "ml");
  await user.click(dialog.getByRole("button", { name: /^Delete/ }));

  await vi.waitFor(() => expect(address()).toBe("/?ns=vision"));
});
