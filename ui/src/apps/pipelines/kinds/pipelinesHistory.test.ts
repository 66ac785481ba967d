import { expect, test } from "vitest";
import { en } from "../../../words/en";
import { historyQuestion } from "./pipelinesHistory";

const question = (query: string, sort?: { column: string; descending: boolean }) => historyQuestion(query, sort, en.pipelines.runStates);
const named = (text: string) => ({ operation: "IS_SUBSTRING", key: "name", string_value: text });

test("words are asked of names, and states by the words that the page has for them", () => {
  expect(question('nightly name:"fit 2"')).toEqual({ predicates: [named("nightly"), named("fit 2")], sortBy: "created_at desc" });
  expect(question("state:termina")?.predicates).toEqual([{ operation: "IN", key: "state", string_values: { values: ["CANCELING", "CANCELED"] } }]);
});

test("what the server does not know is left to the rows that were read", () => {
  expect(question("experiment:churn state:nonsense")).toBeUndefined();
  expect(question("", { column: "duration", descending: true })).toBeUndefined();
  expect(question("", { column: "metric-log-loss", descending: false })).toBeUndefined();
});

test.each([
  ["name", false, "display_name asc"],
  ["age", true, "created_at asc"],
  ["metric-log-loss", true, "metric:log-loss desc"],
])("the order by %s, descending %s", (column, descending, sortBy) => {
  expect(question("", { column, descending })).toEqual({ predicates: [], sortBy });
});

test("the newest runs in their own order are no question", () => {
  expect(question("", { column: "age", descending: false })).toBeUndefined();
  expect(question("", undefined)).toBeUndefined();
});
