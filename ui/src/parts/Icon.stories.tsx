import type { ReactNode } from "react";
import { ICON_NAMES, Icon } from "./Icon";

export const title = "Icon";
export const stories: Record<string, () => ReactNode> = {
  all: () => (
    <div style={{ display: "grid", gridTemplateColumns: "repeat(auto-fill, minmax(110px, 1fr))", gap: "var(--space-3)" }}>
      {ICON_NAMES.map((name) => (
        <span key={name}>
          <Icon name={name} /> {name}
        </span>
      ))}
    </div>
  ),
  large: () => <Icon name="objects" size={32} />,
};
