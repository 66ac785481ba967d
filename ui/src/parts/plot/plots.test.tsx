import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useSearch } from "@tanstack/react-router";
import { expect, test } from "vitest";
import { playedServer, show } from "../../testing/stories";
import { CursorClock, dialOf, nearest } from "./clock";
import { Plot } from "./Plot";
import { Plots } from "./PlotControls";
import { searchOf, settingsIn } from "./settings";

playedServer();
const SERIES = [
  { id: "a", label: "worker-0", x: [1, 2, 3], y: [3, 2, 1] },
  { id: "b", label: "worker-1", x: [1, 2, 3], y: [3, 2, 1] },
];

test("the settings of plots survive a URL", () => {
  const settings = { smoothing: 0.6, hasLogAxis: true, hidden: new Set(["loss/log/worker-0/", "loss/log/worker-1/"]) };

  expect(settingsIn(searchOf(settings))).toEqual(settings);
  expect(searchOf(settingsIn({}))).toEqual({ smooth: undefined, log: undefined, hide: undefined });
  expect(settingsIn({ smooth: "7" }).smoothing).toBe(0.99);
  expect(settingsIn({ smooth: "much" }).smoothing).toBe(0);
});

test("a moment is the nearest point of every axis", () => {
  const steps = dialOf([{ id: "a", label: "a", x: [10, 20, 30], y: [1, 2, 3], times: [100, 110, 120] }], "number");
  expect(steps && nearest(steps.seconds, steps.x, 112)).toBe(20);
  expect(steps && nearest(steps.seconds, steps.x, 200, 30)).toBeUndefined();
  expect(steps && nearest(steps.x, steps.seconds, 26, Infinity)).toBe(120);
  expect(dialOf([{ id: "a", label: "a", x: [1], y: [1], times: [] }], "number")).toBeUndefined();
  expect(dialOf([{ id: "a", label: "a", x: [5, 6], y: [1, 1] }], "time")?.seconds).toEqual([5, 6]);
});

test("a restart does not turn the clock back", () => {
  const dial = dialOf([{ id: "a", label: "a", x: [1, 2, 3], y: [1, 1, 1], times: [100, 200, 150] }], "number");

  expect(dial?.seconds).toEqual([100, 150, 150]);
});

test("the plot that moves the cursor is not notified", () => {
  const clock = new CursorClock();
  const notified: [string, number | undefined][] = [];
  for (const name of ["loss", "cpu"]) clock.subscribe(name, (moment) => notified.push([name, moment]));

  clock.publish("loss", 7);
  expect(notified).toEqual([["cpu", 7]]);
});

test("smoothing, log axis and hidden series are in the URL", async () => {
  function Shown() {
    return <output data-testid="url">{JSON.stringify(useSearch({ strict: false }))}</output>;
  }
  show(() => (
    <Plots forCurves inUrl>
      <Plot title="loss" series={SERIES} x={{ kind: "number", label: "step" }} />
      <Shown />
    </Plots>
  ));
  await userEvent.click(await screen.findByRole("checkbox", { name: "Log axis" }));
  await userEvent.click(screen.getByRole("button", { name: /worker-1/ }));
  fireEvent.change(screen.getByRole("slider"), { target: { value: "0.5" } });

  await waitFor(() => expect(JSON.parse(screen.getByTestId("url").textContent)).toEqual({ log: "yes", hide: "loss/b", smooth: "ema0.5" }), { timeout: 4_000 });
  expect(screen.getByRole("button", { name: /worker-1/ }).getAttribute("aria-pressed")).toBe("false");
}, 15_000);
