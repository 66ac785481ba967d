import { rightTo, useRights } from "../../../../api/rights";
import { PATHS, RIGHTS } from "../../kinds/pipelines";
import { Button } from "../../../../parts/button/Button";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { CardChoice } from "../../../../parts/form/CardChoice";
import { ButtonRow, Form, Section } from "../../../../parts/form/Form";
import { useWords } from "../../../../words";
import { DetailFields } from "../DetailFields";
import { ParameterFields } from "./ParameterFields";
import { SourceFields } from "../catalogue/SourceFields";
import { TriggerFields } from "./TriggerFields";
import { useRunForm, type RunFormProps } from "./useRunForm";

/** What runs, with which parameters, and when. */
export function RunFormView(props: RunFormProps) {
  const { namespace, offers, spec, source } = props;
  const words = useWords();
  const own = words.pipelines.newRun;
  const state = useRunForm(props);
  const { form, change, isRecurring, setRecurring, trigger, setTrigger, fields, texts, setTexts, errors, shownErrors, busy, refusal, submit } = state;
  const missing = useRights(namespace)(rightTo("create", isRecurring ? RIGHTS.recurring : RIGHTS.runs, namespace));
  return (
    <Form label={own.title} onSubmit={submit}>
      <SourceFields {...props} />
      {source !== undefined && (
        <>
          <DetailFields form={form} experiments={offers.experiments} hasTried={state.hasTried} onChange={change} />
          <Section title={own.parameters}>
            <ParameterFields fields={fields} texts={texts} errors={shownErrors} onChange={(name, text) => setTexts((before) => ({ ...before, [name]: text }))} isKnown={spec !== undefined} />
          </Section>
          <Section title={own.kind}>
            <CardChoice
              label={own.kind}
              value={isRecurring ? "recurring" : "once"}
              onChange={(kind) => setRecurring(kind === "recurring")}
              options={[
                { value: "once", label: own.once, hint: own.onceHint },
                { value: "recurring", label: own.recurring, hint: own.recurringHint },
              ]}
            />
            {isRecurring && <TriggerFields form={trigger} onChange={(changed) => setTrigger((before) => ({ ...before, ...changed }))} />}
          </Section>
        </>
      )}
      {refusal !== undefined && <WhyCard state="failed" sentence={refusal} />}
      <ButtonRow>
        <Button
          type="submit"
          look="primary"
          icon={isRecurring ? "clock" : "play"}
          label={isRecurring ? own.schedule : own.start}
          busy={busy}
          missing={missing}
          disabledReason={source === undefined ? own.choosePipeline : undefined}
        />
        <ButtonLink to={PATHS.runs} look="quiet">
          {words.common.cancel}
        </ButtonLink>
        {source !== undefined && "pipeline_id" in source && <CommandHint lines={[state.commandOf(source)]} />}
        {state.hasTried && Object.keys(errors).length > 0 && <span role="status">{own.fix}</span>}
      </ButtonRow>
    </Form>
  );
}
