import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { SESSION_KEY } from "../../../api/session";
import type { VolumeRow } from "../../../kinds/generated";
import { renderPage } from "../../../testing/render";
import { useFileBrowser } from "./useFileBrowser";

const SESSION = { user: "ada@example.com", version: "", logoutUrl: "", isClusterAdmin: false, hasMachineView: false, memberships: [{ namespace: "ml", role: "owner" }], hasWorkgroup: true, registrationAllowed: false };

function Shown({ row }: { row: VolumeRow }) {
  return <p>{useFileBrowser(row).status}</p>;
}

const row = (status: VolumeRow["viewer"]["status"]) => ({ name: "data", namespace: "ml", uid: "1", viewer: { status, url: "/pvcviewers/ml/data/" } }) as unknown as VolumeRow;

test.each([
  ["uninitialized", "closed"],
  ["waiting", "opening"],
  ["ready", "open"],
  ["warning", "open"],
] as const)("a viewer that is %s is %s", async (phase, shown) => {
  vi.stubGlobal("scrollTo", () => undefined);
  await renderPage(<Shown row={row(phase)} />, { answers: [[SESSION_KEY, SESSION]] });

  expect(screen.getByText(/^(closed|opening|open)$/).textContent).toBe(shown);
});
