import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { QUEUES } from "../samples";
import { playedServer, show } from "../../../testing/stories";
import { changedGangs } from "./Outcomes";
import { WhatIf } from "./WhatIf";

const { fetched, answering } = playedServer();
const OUTCOME = { makespanSeconds: 0, meanWaitSeconds: 0, started: 0, never: 0 };

test("nodes that are added and taken away are asked about together", async () => {
  answering(() => ({ before: OUTCOME, after: OUTCOME, gangs: [], assumptions: [], isComplete: true }));
  show(() => <WhatIf view={QUEUES} />);
  await userEvent.type(await screen.findByRole("textbox", { name: "More nodes" }), "{ArrowUp}{ArrowUp}");
  await userEvent.type(await screen.findByRole("textbox", { name: "CPU of each" }), "64");
  await userEvent.click(screen.getByRole("button", { name: "Take nodes away" }));
  await userEvent.click(screen.getByRole("checkbox", { name: "node-2" }));

  await userEvent.click(screen.getByRole("button", { name: "Simulate" }));

  await waitFor(() => expect(fetched).toHaveBeenCalled());
  expect(JSON.parse(fetched.mock.calls[0]?.[1]?.body as string)).toEqual({
    queues: [],
    nodes: { count: 2, like: "node-1", allocatable: { cpu: "64" } },
    removeNodes: ["node-2"],
  });
}, 15_000);

test("nothing is asked while nothing has changed", async () => {
  show(() => <WhatIf view={QUEUES} />);

  await userEvent.click(await screen.findByRole("button", { name: "Simulate: Change something first." }));
  expect(fetched).not.toHaveBeenCalled();
});

test("gangs that start at another time are listed, those that gain most first", () => {
  const gang = (name: string, beforeSeconds: number | null, afterSeconds: number | null) => ({ namespace: "ml", name, kind: "", job: "", queue: "", beforeSeconds, afterSeconds });

  expect(changedGangs([gang("lost", 5, null), gang("same", 5, 5), gang("sooner", 60, 0), gang("new", null, 0)]).map((one) => one.name)).toEqual(["new", "sooner", "lost"]);
});
