import type { ReactNode } from "react";
import { Register } from "./Register";

export const title = "Registration page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => <Register />,
};
