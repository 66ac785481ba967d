/** Components in tests as in stories: with everything they rely on, and a server that the test plays. */
import { onlineManager } from "@tanstack/react-query";
import { cleanup, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterAll, afterEach, beforeAll, beforeEach, vi, type Mock } from "vitest";
import { Providers } from "../gallery/Providers";

type Answer = (path: string, options: RequestInit) => unknown;

/** For a file of tests: `fetched` has the requests; `answering` says what they are answered with. */
export function playedServer(): { fetched: Mock<typeof fetch>; answering: (answer: Answer) => void } {
  const fetched = vi.fn<typeof fetch>();
  // Files share a page: what other files rely on is put back.
  beforeAll(() => onlineManager.setOnline(false));
  afterAll(() => onlineManager.setOnline(true));
  beforeEach(() => {
    vi.stubGlobal("fetch", fetched);
    vi.stubGlobal("scrollTo", () => undefined);
  });
  afterEach(() => {
    cleanup();
    fetched.mockReset();
    vi.unstubAllGlobals();
  });
  const answering = (answer: Answer) => {
    fetched.mockImplementation((path, options) => Promise.resolve(new Response(JSON.stringify(answer(path as string, options ?? {})))));
  };
  return { fetched, answering };
}

export const show = (story: () => ReactNode): ReturnType<typeof render> => render(<Providers language="en" story={story} />);
