import type { ReactNode } from "react";
import { NotFound } from "./NotFound";
import { NotYet } from "./later/NotYet";

export const title = "No page";
export const stories: Record<string, () => ReactNode> = {
  "not found": () => <NotFound />,
  "not yet": () => <NotYet />,
};
