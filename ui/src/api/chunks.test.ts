import { expect, test, vi } from "vitest";
import { ChunkFailed, retrying } from "./chunks";

const NO_PAUSES = [0, 0, 0];

test("what is broken off is loaded again", async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new TypeError("broken off")).mockResolvedValue("page");

  await expect(retrying(load, NO_PAUSES)()).resolves.toBe("page");
  expect(load).toHaveBeenCalledTimes(2);
});

test("what cannot be loaded fails in the end, with the reason", async () => {
  const load = vi.fn<() => Promise<string>>().mockRejectedValue(new TypeError("no network"));

  await expect(retrying(load, NO_PAUSES)()).rejects.toEqual(new ChunkFailed("no network"));
  expect(load).toHaveBeenCalledTimes(4);
});

test("what is loaded at once is asked for once", async () => {
  const load = vi.fn(() => Promise.resolve("page"));

  await retrying(load, NO_PAUSES)();

  expect(load).toHaveBeenCalledTimes(1);
});

test("a style sheet that was broken off is added again", async () => {
  const missing = new Error("Unable to preload CSS for /assets/Home-1.css");
  const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(missing).mockResolvedValue("page");
  const loaded = retrying(load, NO_PAUSES)();
  const link = await vi.waitUntil(() => document.head.querySelector<HTMLLinkElement>("link[href='/assets/Home-1.css']"));

  link.dispatchEvent(new Event("load"));

  await expect(loaded).resolves.toBe("page");
  link.remove();
});
