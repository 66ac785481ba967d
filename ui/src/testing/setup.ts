import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";

// jsdom has no CSS.escape, by which menus find their items.
(globalThis as { CSS?: unknown }).CSS ??= { escape: (text: string) => text.replaceAll(/[^\w-]/g, (character) => `\\${character}`) };
window.scrollTo = () => undefined;

afterEach(cleanup);
