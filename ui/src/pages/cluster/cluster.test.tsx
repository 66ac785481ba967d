import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { SESSIONS_KEY } from "../../api/account";
import { Cached } from "../../gallery/Cached";
import { CLUSTER } from "./samples";
import type { ClusterView } from "../../kinds/generated";
import { show, playedServer } from "../../testing/stories";
import { ClusterContent } from "./Cluster";

const { fetched, answering } = playedServer();

async function shown(view: ClusterView, isReadOnly = false) {
  show(() => (
    <Cached answers={[[SESSIONS_KEY, [{ id: "s1", current: true }]]]}>
      <ClusterContent view={view} isReadOnly={isReadOnly} />
    </Cached>
  ));
  return within(await screen.findByRole("table", { name: "Open sessions" }));
}

test("an administrator revokes the sessions of others, and the row goes", async () => {
  const sessions = await shown(CLUSTER);
  answering(() => ({ message: "" }));
  expect(sessions.getByText("this session")).toBeTruthy();
  const buttons = sessions.getAllByRole("button", { name: "Revoke" });

  await userEvent.click(buttons[0] as HTMLElement);

  await waitFor(() => expect(sessions.getAllByRole("button", { name: "Revoke" })).toHaveLength(buttons.length - 1));
  const [path, options] = fetched.mock.calls[0] ?? [];
  expect([path, options?.method]).toEqual(["/api/cluster/users/a.person.with.a.rather.long.address%40research.example.com/sessions/s2", "DELETE"]);
});

test("a backup is written by a button, which says where it is", async () => {
  await shown(CLUSTER);
  answering(() => ({ message: "", backup: { path: "/data/backups/new.tar", at: "", bytes: 1 } }));

  await userEvent.click(screen.getByRole("button", { name: "Back up now" }));

  expect(await screen.findByText("Wrote /data/backups/new.tar.")).toBeTruthy();
  expect(fetched.mock.calls[0]?.[0]).toBe("/api/cluster/backup");
});

test.each([
  [3, /The newest 3 made here are kept; older ones are deleted\.$/],
  [0, /Old back-ups are not deleted\.$/],
])("with a limit of %i the page says what becomes of old backups", async (maxBackups, sentence) => {
  await shown({ ...CLUSTER, maxBackups });

  expect(screen.getByText(sentence)).toBeTruthy();
});

test("where no backup can be written the page says why and offers none", async () => {
  await shown({ ...CLUSTER, backupRefusal: "The objects are in the cluster's own store." });

  expect(screen.getByText("The objects are in the cluster's own store.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Back up now" })).toBeNull();
});

test("what is known of nodes and components is drawn", async () => {
  await shown(CLUSTER);

  expect(screen.getAllByText("1.2 CPU · 5.2 Gi")).toHaveLength(3);
  expect(screen.getByText("Ready: kubelet stopped posting node status")).toBeTruthy();
  expect(within(screen.getByRole("table", { name: "Components" })).getByText("31 s")).toBeTruthy();
});

test("the only user of a machine learns why all of it is shown, changes nothing, and turns it off", async () => {
  const sessions = await shown(CLUSTER, true);
  answering(() => ({}));

  expect(screen.getByText("You see the whole machine, because you are its only user.")).toBeTruthy();
  expect(sessions.queryByRole("button", { name: "Revoke" })).toBeNull();
  expect(screen.queryByRole("button", { name: "Back up now" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Turn off" }));

  expect(await screen.findByText("You no longer see the whole machine.")).toBeTruthy();
  const [path, options] = fetched.mock.calls[0] ?? [];
  expect([path, options?.method]).toEqual(["/api/account/machine-view", "DELETE"]);
});
