import { expect, test } from "vitest";
import { recurringCommand, runCommand } from "./pipelinesCommands";
import { INITIAL_TRIGGER } from "./pipelinesForm";

const WANTED = { endpoint: "http://h/pipeline", pipeline: "p", version: "v", experiment: "Ada's", form: { name: "a run" }, values: { n: 3, text: "it's", list: ["a"] } };

test("a run is created with its parameters, quoted for a shell", () => {
  expect(runCommand(WANTED)).toBe(`kfp --endpoint http://h/pipeline run create --experiment-name 'Ada'\\''s' --run-name 'a run' --pipeline-id p --version v 'n=3' 'text=it'\\''s' 'list=["a"]'`);
});

test.each([
  [{ ...INITIAL_TRIGGER, cron: "0 0 3 * * *" }, "--cron-expression '0 0 3 * * *' --max-concurrency 1"],
  [{ ...INITIAL_TRIGGER, kind: "interval" as const, every: 2, unit: "minutes" as const, maxConcurrency: 4 }, "--interval-second 120 --max-concurrency 4"],
])("a schedule is created by the command for schedules %#", (trigger, part) => {
  expect(recurringCommand({ ...WANTED, experiment: "Default", values: {} }, trigger)).toBe(`kfp --endpoint http://h/pipeline recurring-run create --experiment-name 'Default' --job-name 'a run' ${part} --pipeline-id p --version-id v`);
});
