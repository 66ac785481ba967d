import { expect, test } from "vitest";
import { IR } from "../samples/pipelines";
import { copyName, looksLikeCron, parameterFields, parameterText, parameterValue, parameterValues, proposedName, recurringBody, runBody, triggerForm, triggerOf, INITIAL_TRIGGER, type ParameterField } from "./pipelinesForm";
import { INITIAL_OPTIONS } from "./pipelinesOptions";
import { readSpec } from "./graph/pipelinesSpec";

const fields = parameterFields(readSpec(IR) ?? { parameters: {} });

function field(name: string): ParameterField {
  const found = fields.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no field ${name}`);
  return found;
}

test("each parameter has the control of its type, with its default as text", () => {
  expect(fields.map(({ name, shape, initial, isRequired }) => [name, shape, initial, isRequired])).toEqual([
    ["epochs", "integer", "3", false],
    ["learning_rate", "double", "0.01", false],
    ["optimizer", "choice", "adam", false],
    ["layers", "json", "[64,32]", false],
    ["options", "json", "", false],
    ["shuffle", "flag", "true", false],
    ["dataset", "text", "", true],
  ]);
  expect(field("optimizer").options).toEqual(["adam", "sgd", "rmsprop"]);
});

test("values of a cloned run stand instead of the defaults", () => {
  const given = parameterFields(readSpec(IR) ?? { parameters: {} }, { epochs: 7, layers: [1] });
  expect(given.slice(0, 1).map((one) => one.initial)).toEqual(["7"]);
  expect(given.find((one) => one.name === "layers")?.initial).toBe("[1]");
});

test("what the engine fills in is not asked for", () => {
  expect(parameterFields({ parameters: { status: { parameterType: "TASK_FINAL_STATUS" } } })).toEqual([]);
});

test.each([
  ["epochs", "5", { value: 5 }],
  ["epochs", "5.0", { value: 5 }],
  ["epochs", "5.5", { error: "integer" }],
  ["epochs", "9007199254740993", { error: "unsafe" }],
  ["epochs", "", undefined],
  ["learning_rate", "1e-3", { value: 0.001 }],
  ["learning_rate", "fast", { error: "number" }],
  ["layers", "[1, 2]", { value: [1, 2] }],
  ["layers", '{"a": 1}', { error: "list" }],
  ["layers", "[1", { error: "list" }],
  ["options", '{"a": [1]}', { value: { a: [1] } }],
  ["options", "[]", { error: "struct" }],
  ["options", "null", { error: "struct" }],
  ["shuffle", "false", { value: false }],
  ["optimizer", "sgd", { value: "sgd" }],
  ["dataset", "", { error: "required" }],
  ["dataset", "s3://a", { value: "s3://a" }],
])("%s as %j", (name, text, read) => {
  expect(parameterValue(field(name), text)).toEqual(read);
});

test("a default that is a text can be replaced by an empty one", () => {
  expect(parameterValue({ ...field("dataset"), initial: "x", isRequired: false }, "")).toEqual({ value: "" });
});

test("right values are posted, wrong ones named", () => {
  const { values, errors } = parameterValues(fields, { epochs: "many", dataset: "s3://x" });
  expect(errors).toEqual({ epochs: "integer" });
  expect(values).toEqual({ learning_rate: 0.01, optimizer: "adam", layers: [64, 32], shuffle: true, dataset: "s3://x" });
});

const FORM = { name: " fit ", description: "", experiment: "e", serviceAccount: "", root: "", options: INITIAL_OPTIONS };

test("the body of a run leaves out what is empty", () => {
  expect(runBody(FORM, { pipeline_id: "p", pipeline_version_id: "v" }, { a: 1 })).toEqual({
    display_name: "fit",
    experiment_id: "e",
    pipeline_version_reference: { pipeline_id: "p", pipeline_version_id: "v" },
    runtime_config: { parameters: { a: 1 } },
  });
});

test("the body of a schedule has its trigger", () => {
  const body = recurringBody(FORM, { pipeline_spec: { root: {} } }, {}, { ...INITIAL_TRIGGER, kind: "interval", every: 2, unit: "hours", maxConcurrency: 3 });
  expect(body).toMatchObject({ mode: "ENABLE", max_concurrency: "3", no_catchup: true, pipeline_spec: { root: {} }, trigger: { periodic_schedule: { interval_second: "7200" } } });
});

test("times of a trigger are sent in UTC, and a trigger is read back into the form", () => {
  const trigger = triggerOf({ ...INITIAL_TRIGGER, cron: " 0 0 9 * * * ", start: "2026-01-01T00:00:00Z" });
  expect(trigger).toEqual({ cron_schedule: { start_time: "2026-01-01T00:00:00Z", cron: "0 0 9 * * *" } });
  expect(triggerForm({ trigger })).toMatchObject({ kind: "cron", cron: "0 0 9 * * *" });
  expect(triggerForm(undefined)).toEqual(INITIAL_TRIGGER);
});

test.each([
  [30, 30, "seconds"],
  [90, 90, "seconds"],
  [120, 2, "minutes"],
  [7200, 2, "hours"],
  [172_800, 2, "days"],
])("an interval of %i s is %i %s, and the same when it is sent", (seconds, every, unit) => {
  const trigger = { periodic_schedule: { interval_second: String(seconds) } };
  const form = triggerForm({ trigger });
  expect(form).toMatchObject({ kind: "interval", every, unit });
  expect(triggerOf(form)).toEqual(trigger);
});

test("a copy of a schedule keeps its bounds, its limit and what becomes of missed runs", () => {
  const trigger = { cron_schedule: { cron: "0 0 9 * * *", start_time: "2026-01-01T08:00:00Z", end_time: "2026-12-31T23:59:30Z" } };
  const form = triggerForm({ trigger, max_concurrency: "4", no_catchup: false });
  expect(form).toMatchObject({ maxConcurrency: 4, catchUp: true });
  expect(form.start).toMatch(/^2026-01-0\dT\d\d:\d\d$/);
  expect(recurringBody(FORM, { pipeline_id: "p", pipeline_version_id: "v" }, {}, form)).toMatchObject({ trigger, max_concurrency: "4", no_catchup: false });
  expect(triggerForm({ trigger: { cron_schedule: { cron: "@daily", start_time: "1970-01-01T00:00:00Z" } }, no_catchup: true })).toMatchObject({ start: "", end: "", maxConcurrency: 1, catchUp: false });
});

test("options of how it is carried out are part of a run and of a schedule", () => {
  const form = { ...FORM, options: { caching: false, maxStaleness: "", failFast: false } };
  const plugins_input = { windlass: { caching: false, fail_fast: false } };
  expect(runBody(form, { pipeline_spec: {} }, {})).toMatchObject({ plugins_input });
  expect(recurringBody(form, { pipeline_spec: {} }, {}, INITIAL_TRIGGER)).toMatchObject({ plugins_input });
});

test.each([
  ["0 0 9 * * 1-5", true],
  ["0 0 9 * *", true],
  ["@daily", true],
  ["@every 5m", true],
  ["@sometimes", false],
  ["0 9", false],
  ["", false],
])("whether %j looks like cron", (cron, good) => {
  expect(looksLikeCron(cron)).toBe(good);
});

test("names of runs", () => {
  expect(proposedName("fit", new Date(2026, 0, 2, 3, 4))).toBe("fit 2026-01-02 03:04");
  expect([copyName("fit"), copyName("fit (2)")]).toEqual(["fit (2)", "fit (3)"]);
  expect([parameterText(undefined), parameterText("x"), parameterText(3), parameterText({ a: 1 })]).toEqual(["", "x", "3", '{"a":1}']);
});
