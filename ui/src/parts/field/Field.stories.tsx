import { useState, type ReactNode } from "react";
import { Pressed } from "../../gallery/Pressed";
import { Stack } from "../page/Page";
import { Check } from "./Check";
import { Choice } from "./Choice";
import { NumberInput } from "./NumberInput";
import { Segments } from "./Segments";
import { TextInput } from "./TextInput";

const IMAGES = [
  { value: "scipy", label: "jupyter-scipy", hint: "Python with NumPy, pandas and scikit-learn" },
  { value: "torch", label: "jupyter-pytorch-cuda-full", hint: "needs a GPU" },
  { value: "code", label: "codeserver" },
];

function Texts() {
  const [text, setText] = useState("lab");
  return (
    <Stack>
      <TextInput label="Name" value={text} onChange={setText} hint="Lower-case letters, digits and hyphens." required />
      <TextInput label="Name" value="Lab 1" onChange={setText} error="A name has only lower-case letters, digits and hyphens." />
      <TextInput label="E-mail" type="email" value="" onChange={setText} placeholder="bob@example.com" />
      <TextInput label="Password" type="password" value="12341234" onChange={setText} />
      <TextInput label="Command" multiline value={"python train.py \\\n  --epochs 3"} onChange={setText} />
      <TextInput label="Namespace" value="ml" onChange={setText} disabled />
    </Stack>
  );
}

function Choices({ disabled }: { disabled?: boolean }) {
  const [value, setValue] = useState("scipy");
  return <Choice label="Image" options={IMAGES} value={value} onChange={setValue} hint="Which program the server runs." {...(disabled ? { disabled } : {})} />;
}

function Checks() {
  const [checked, setChecked] = useState(true);
  return (
    <Stack>
      <Check label="Shared memory" checked={checked} onChange={setChecked} />
      <Check label="Affinity" checked={!checked} onChange={(value) => setChecked(!value)} />
      <Check label="Set by an administrator" checked disabled onChange={setChecked} />
    </Stack>
  );
}

function Numbers() {
  const [value, setValue] = useState(2);
  return (
    <Stack>
      <NumberInput label="Replicas" value={value} onChange={setValue} min={1} max={64} hint="How many workers train together." />
      <NumberInput label="Replicas" value={200} onChange={setValue} error="The queue allows at most 64." />
      <NumberInput label="Replicas" value={1} onChange={setValue} disabled />
    </Stack>
  );
}

function Sides() {
  const [value, setValue] = useState<"form" | "yaml">("form");
  return (
    <Segments
      label="How to edit"
      options={[
        { value: "form", label: "Form" },
        { value: "yaml", label: "YAML" },
      ]}
      value={value}
      onChange={setValue}
    />
  );
}

export const title = "Fields";
export const stories: Record<string, () => ReactNode> = {
  texts: () => <Texts />,
  choice: () => <Choices />,
  "choice, open": () => (
    <Pressed>
      <Choices />
    </Pressed>
  ),
  "choice, disabled": () => <Choices disabled />,
  checks: () => <Checks />,
  numbers: () => <Numbers />,
  segments: () => <Sides />,
};
