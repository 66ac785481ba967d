import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// jsdom has no CSS.escape, by which menus find their items.
(globalThis as { CSS?: unknown }).CSS ??= { escape: (text: string) => text.replaceAll(/[^\w-]/g, (character) => `\\${character}`) };
// jsdom lays nothing out: no size ever changes.
(globalThis as { ResizeObserver?: unknown }).ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
window.scrollTo = () => undefined;
// jsdom has no canvas: tests read a plot's legend and table.
vi.mock("../parts/plot/PlotCanvas", () => ({ PlotCanvas: () => null }));

afterEach(cleanup);
