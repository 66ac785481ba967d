import type { ReactNode } from "react";
import { CapacityBar } from "./CapacityBar";

export const title = "CapacityBar";
export const stories: Record<string, () => ReactNode> = {
  empty: () => <CapacityBar label="GPU" total={0} numbers="none" shares={[]} />,
  some: () => (
    <CapacityBar
      label="CPU"
      total={8}
      numbers="3 of 8 free"
      shares={[
        { label: "bert", value: 4, text: "4" },
        { label: "lab", value: 1, text: "1" },
      ]}
    />
  ),
  full: () => (
    <CapacityBar
      label="Memory"
      total={64}
      numbers="0 of 64Gi free"
      shares={[
        { label: "bert", value: 40, text: "40Gi" },
        { label: "resnet", value: 20, text: "20Gi" },
        { label: "lab", value: 3, text: "3Gi" },
        { label: "others", value: 1, text: "" },
      ]}
    />
  ),
};
