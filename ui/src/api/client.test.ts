import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { get, post, request, stream } from "./client";
import { ApiError, SignedOut } from "./errors";
import { fetchSession } from "./session";

const server = setupServer();
const at = (path: string) => new URL(path, location.href).href;

beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

test("what changes something carries the token of the cookie, what reads does not", async () => {
  document.cookie = "XSRF-TOKEN=secret";
  const seen: (string | null)[] = [];
  server.use(
    http.all(at("/api/thing"), ({ request: sent }) => {
      seen.push(sent.headers.get("X-XSRF-TOKEN"));
      return HttpResponse.json({});
    }),
  );

  await get(at("/api/thing"));
  await post(at("/api/thing"), { a: 1 });

  expect(seen).toEqual([null, "secret"]);
});

test("an empty answer is undefined", async () => {
  server.use(http.delete(at("/api/thing"), () => new HttpResponse(null, { status: 204 })));

  expect(await request("DELETE", at("/api/thing"))).toBeUndefined();
});

test("a refusal has the status and the words of the server", async () => {
  server.use(http.get(at("/api/thing"), () => HttpResponse.json({ error: "No." }, { status: 403 })));

  const refused = get(at("/api/thing"));

  await expect(refused).rejects.toBeInstanceOf(ApiError);
  await expect(refused).rejects.toMatchObject({ status: 403, message: "No." });
});

test("401 says that the session has ended", async () => {
  server.use(http.get(at("/api/thing"), () => new HttpResponse("", { status: 401 })));

  await expect(get(at("/api/thing"))).rejects.toBeInstanceOf(SignedOut);
});

test("a log arrives in parts", async () => {
  server.use(http.get(at("/log"), () => new HttpResponse("héllo")));
  const parts: string[] = [];

  for await (const part of stream(at("/log"), new AbortController().signal)) parts.push(part);

  expect(parts.join("")).toBe("héllo");
});

test("the session is put together from two answers", async () => {
  server.use(
    http.get("*/api/workgroup/env-info", () =>
      HttpResponse.json({ user: "ada@example.com", platform: { kubeflowVersion: "1.9", logoutUrl: "/out" }, namespaces: [{ namespace: "ml", role: "owner", user: "ada@example.com" }], isClusterAdmin: false, hasMachineView: false }),
    ),
    http.get("*/api/workgroup/exists", () => HttpResponse.json({ hasWorkgroup: true, registrationFlowAllowed: false })),
  );

  expect(await fetchSession()).toEqual({
    user: "ada@example.com",
    version: "1.9",
    logoutUrl: "/out",
    isClusterAdmin: false, hasMachineView: false,
    memberships: [{ namespace: "ml", role: "owner" }],
    hasWorkgroup: true,
    registrationAllowed: false,
  });
});
