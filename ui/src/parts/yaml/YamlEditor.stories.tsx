import { useState, type ReactNode } from "react";
import type { FieldProblem } from "./positions";
import { YamlEditor } from "./YamlEditor";

export const title = "YAML editor";

const TEXT = `# Trains a line through points.
apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: fit
  managedFields:
    - manager: kubectl
      operation: Update
spec:
  tfReplicaSpecs:
    PS:
      replicas: -1
      template:
        spec:
          containers:
            - name: tensorflow
              image: "registry.local/fit:1"
status:
  conditions: []
  startTime: null
`;

const PROBLEMS: FieldProblem[] = [{ path: "spec.tfReplicaSpecs.PS.replicas", message: "must be greater than or equal to 0" }];

function Edited({ problems }: { problems?: FieldProblem[] }) {
  const [text, setText] = useState(TEXT);
  return <YamlEditor label="YAML" value={text} onChange={setText} problems={problems ?? []} />;
}

export const stories: Record<string, () => ReactNode> = {
  edited: () => <Edited />,
  "refused by the server": () => <Edited problems={PROBLEMS} />,
  "read-only, folded": () => <YamlEditor label="YAML" value={TEXT} fold />,
  "broken text": () => <YamlEditor label="YAML" value={"a: [1, 2\nb: 3\n"} />,
};
