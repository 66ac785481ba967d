import { expect, test } from "vitest";
import { ApiError, SignedOut, errorFrom, messageOf } from "./errors";

test.each([
  ["a dashboard route", 409, '{"error": "There is such a namespace."}', "There is such a namespace.", ""],
  ["a web app", 422, '{"success": false, "log": "The name is taken.", "status": 422}', "The name is taken.", ""],
  ["a Kubernetes Status", 403, '{"kind": "Status", "message": "pods is forbidden", "reason": "Forbidden"}', "pods is forbidden", "Forbidden"],
  ["a proxy", 502, "bad gateway", "bad gateway", ""],
  ["nobody", 500, "", "HTTP 500", ""],
  ["an odd body", 500, "null", "null", ""],
  ["an empty sentence", 500, '{"error": ""}', '{"error": ""}', ""],
])("the words of %s", (_, status, text, message, reason) => {
  expect(errorFrom(status, text)).toMatchObject({ status, message, reason });
});

test("401 means that the session has ended", () => {
  expect(errorFrom(401, "{}")).toBeInstanceOf(SignedOut);
});

test("a long page of HTML is cut", () => {
  expect(errorFrom(500, "x".repeat(5_000)).message).toHaveLength(300);
});

test("whatever was thrown has words", () => {
  expect([messageOf(new ApiError(500, "", "broken")), messageOf("odd")]).toEqual(["broken", "odd"]);
});
