import type { ReactNode } from "react";
import { TextInput } from "../field/TextInput";
import { CardChoice } from "./CardChoice";
import { CheckList } from "./CheckList";
import { Fold } from "./Fold";
import { FieldBox, FieldRow, Form, Section } from "./Form";

export const title = "Form";
const nothing = () => undefined;
const SIZES = [
  { value: "small", label: "Small", hint: "0.5 CPU · 1 Gi" },
  { value: "large", label: "Large", hint: "4 CPU · 16 Gi" },
];

export const stories: Record<string, () => ReactNode> = {
  sections: () => (
    <Form label="New notebook" onSubmit={nothing}>
      <Section title="Name" hint="Lower-case letters">
        <TextInput label="Name" value="First" onChange={nothing} error="Lower-case letters, digits and “-”." />
      </Section>
      <Section title="Volumes">
        <FieldBox label="Volume 1">
          <FieldRow>
            <TextInput label="Folder" value="/data" onChange={nothing} />
            <TextInput label="Size" value="10Gi" onChange={nothing} />
          </FieldRow>
        </FieldBox>
        <Fold label="Advanced" open>
          <CheckList label="Configurations" options={[{ value: "a", label: "Access to the bucket", hint: "team-bucket" }]} chosen={["a"]} onChange={nothing} />
        </Fold>
      </Section>
    </Form>
  ),
  cards: () => <CardChoice label="Size" options={SIZES} value="small" onChange={nothing} />,
  disabledCards: () => <CardChoice label="Size" options={SIZES} value="small" onChange={nothing} disabled />,
};
