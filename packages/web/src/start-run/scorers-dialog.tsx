import type { ScorerConfigs, ScorersRevision } from "@agate/protocol";
import { isSameJson } from "@agate/protocol";
import { useState } from "react";
import { commitScorers, type ScorersCommit } from "../api/scorers.ts";
import { ConfigForm } from "../config-form/config-form.tsx";
import { checkConfig } from "../config-form/field-problem.ts";
import { FormDialog } from "../design/dialog.tsx";
import { Field, TextInput } from "../design/field.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { useReadOnlyReason } from "../revisions/read-only.tsx";
import { useConfirmedChange } from "../revisions/use-confirmed-change.ts";
import { committedConfigs, type ScorerForm, shownValues } from "./scorer-form.ts";

interface ScorersDialogProps {
  readonly app: string;
  readonly forms: readonly ScorerForm[];
  /** Null before the first commit. */
  readonly latest: ScorersRevision | null;
  readonly onClose: () => void;
}

const REFUSAL = "Not committed";

/** Edits the configurations of an application's scorers, and commits them as a revision. */
export function ScorersDialog({ app, forms, latest, onClose }: ScorersDialogProps) {
  const before = latest?.configs ?? {};
  const [edited, setEdited] = useState<ScorerConfigs>(before);
  const [message, setMessage] = useState("");
  const refusal = useReadOnlyReason();
  const commit = useConfirmedChange({
    change: (client, asked: ScorersCommit) => commitScorers(client, app, asked),
    refusal: REFUSAL,
    onDone: onClose,
  });
  const configs = committedConfigs(before, forms, edited);
  const isInvalid = forms.some(
    (form) => checkConfig(form.schema, shownValues(form, edited)).length > 0,
  );
  return (
    <FormDialog
      title={`Scorers of ${app}`}
      action="Commit"
      width="wide"
      onClose={onClose}
      onSubmit={() => commit.mutate({ configs, base_revision: latest?.revision ?? 0, message })}
      isPending={commit.isPending}
      isEmpty={isInvalid || isSameJson(configs, before)}
      refusal={refusal}
    >
      {forms.map((form) => (
        <section key={form.name} aria-label={form.name} className="flex flex-col gap-3">
          <h3 className="font-mono font-semibold">{form.name}</h3>
          <ConfigForm
            route={form.schema}
            values={shownValues(form, edited)}
            base={shownValues(form, before)}
            problems={[]}
            onChange={(values) => setEdited({ ...edited, [form.name]: values })}
          />
        </section>
      ))}
      <Field label="Message">
        {(ids) => (
          <TextInput
            {...ids}
            value={message}
            placeholder="What changed and why"
            onChange={(event) => setMessage(event.target.value)}
          />
        )}
      </Field>
      {commit.error !== null && <ChangeFailure title={REFUSAL} error={commit.error} />}
    </FormDialog>
  );
}
