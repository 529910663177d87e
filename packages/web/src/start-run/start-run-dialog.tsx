import type { Application, NewPlatformRun } from "@agate/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { applicationsQuery } from "../api/applications.ts";
import { startRun } from "../api/evaluations.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { runsKey } from "../api/runs.ts";
import { scorersQuery } from "../api/scorers.ts";
import { FormDialog } from "../design/dialog.tsx";
import { Field, Select } from "../design/field.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { useReadOnlyReason } from "../revisions/read-only.tsx";
import { useConfirmedChange } from "../revisions/use-confirmed-change.ts";
import { EvaluationField } from "./evaluation-field.tsx";
import { NoEvaluations } from "./no-evaluations.tsx";
import {
  checkDraft,
  type RunChoices,
  type RunProblems,
  rejectedFields,
  runDraft,
} from "./run-choices.ts";
import { RunForm } from "./run-form.tsx";
import { scorerForms } from "./scorer-form.ts";
import { ScorersDialog } from "./scorers-dialog.tsx";
import { ScorersLine } from "./scorers-line.tsx";
import { type RunOffer, useRunOffer } from "./use-run-offer.ts";

/** What the form begins with. */
export interface RunPreset extends RunChoices {
  readonly application?: string | undefined;
}

interface StartRunDialogProps {
  readonly preset: RunPreset;
  readonly onClose: () => void;
}

const REFUSAL = "Not started";

/** Starts a run of an evaluation, and opens its page. */
export function StartRunDialog({ preset, onClose }: StartRunDialogProps) {
  const client = usePlatform();
  const refusal = useReadOnlyReason("evaluate");
  const applications = useQuery(applicationsQuery(client));
  const [choices, setChoices] = useState<RunPreset>(preset);
  const [found, setFound] = useState<RunProblems>({});
  // The same choices, sent again after a lost connection, start no second run.
  const [id, setId] = useState(newRunId);
  const app = choices.application ?? onlyOne(applications.data)?.slug;
  const offer = useRunOffer(app);
  const latest = useQuery({ ...scorersQuery(client, app ?? ""), enabled: app !== undefined });
  const [isConfiguring, setConfiguring] = useState(false);
  const start = useStart(onClose);
  const evaluation = offer.data && evaluationOf(offer.data, choices.evaluation);
  const draft = offer.data && evaluation && runDraft(choices, evaluation, offer.data);
  const change = (changed: RunPreset) => {
    setChoices(changed);
    setFound({});
    setId(newRunId());
    start.reset();
  };
  const submit = () => {
    if (app === undefined || evaluation === undefined || draft === undefined) return;
    const checked = checkDraft(draft, id);
    if (checked.kind === "invalid") setFound(checked.problems);
    else {
      const pinned = latest.data ? { scorers_revision: latest.data.revision } : {};
      start.mutate({ app, evaluation: evaluation.name, start: { ...checked.start, ...pinned } });
    }
  };
  const forms = scorerForms(evaluation === undefined ? [] : [evaluation]);
  if (app !== undefined && isConfiguring && latest.data !== undefined) {
    return (
      <ScorersDialog
        app={app}
        forms={forms}
        latest={latest.data}
        onClose={() => setConfiguring(false)}
      />
    );
  }
  const rejected = rejectedFields(start.error);
  const problems = { ...found, ...rejected };
  return (
    <FormDialog
      title="Start a run"
      action="Start"
      width="wide"
      onClose={onClose}
      onSubmit={submit}
      isPending={start.isPending}
      isEmpty={draft === undefined}
      refusal={refusal}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <ApplicationField
          applications={applications.data ?? []}
          app={app}
          onChange={(application) => {
            // Another application has other evaluations, variants and environments.
            const { message, max_cost } = choices;
            change({ application, message, max_cost });
          }}
        />
        {offer.data && offer.data.evaluations.length > 0 && (
          <EvaluationField
            offer={offer.data}
            name={evaluation?.name ?? choices.evaluation ?? ""}
            problem={problems.evaluation}
            onChange={(changed) => change({ ...choices, ...changed })}
          />
        )}
      </div>
      {app !== undefined && (
        <Loaded query={offer}>
          {(loaded) =>
            loaded.evaluations.length === 0 ? (
              <NoEvaluations app={app} offer={loaded} />
            ) : (
              evaluation &&
              draft && (
                <RunForm
                  app={app}
                  offer={loaded}
                  evaluation={evaluation}
                  draft={draft}
                  problems={problems}
                  onChange={(changed) => change({ ...choices, ...changed })}
                />
              )
            )
          }
        </Loaded>
      )}
      {forms.length > 0 && latest.data !== undefined && (
        <ScorersLine latest={latest.data} onEdit={() => setConfiguring(true)} />
      )}
      {start.error !== null && Object.keys(rejected).length === 0 && (
        <ChangeFailure title={REFUSAL} error={start.error} />
      )}
    </FormDialog>
  );
}

interface ApplicationFieldProps {
  readonly applications: readonly Application[];
  readonly app: string | undefined;
  readonly onChange: (app: string) => void;
}

function ApplicationField({ applications, app, onChange }: ApplicationFieldProps) {
  const isListed = applications.some(({ slug }) => slug === app);
  return (
    <Field label="Application">
      {(ids) => (
        <Select {...ids} value={app ?? ""} onChange={(event) => onChange(event.target.value)}>
          {!isListed && <option value={app ?? ""}>{app ?? "Choose…"}</option>}
          {applications.map(({ id, slug }) => (
            <option key={id} value={slug}>
              {slug}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

interface StartRequest {
  readonly app: string;
  readonly evaluation: string;
  readonly start: NewPlatformRun;
}

function useStart(onClose: () => void) {
  const client = usePlatform();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useConfirmedChange({
    change: (platform, { app, evaluation, start }: StartRequest) =>
      startRun(platform, app, evaluation, start),
    refusal: REFUSAL,
    onDone: ({ id }) => {
      onClose();
      void queries.invalidateQueries({ queryKey: runsKey(client) });
      void navigate({ to: "/runs/$run", params: { run: id } });
    },
  });
}

function onlyOne<Item>(items: readonly Item[] | undefined): Item | undefined {
  return items?.length === 1 ? items[0] : undefined;
}

/** The named evaluation, else the first. Undefined where the name is not declared any more. */
function evaluationOf({ evaluations }: RunOffer, name: string | undefined) {
  return name === undefined ? evaluations[0] : evaluations.find((each) => each.name === name);
}

/**
 * An id for a new run, as `agate eval` makes them.
 *
 * @example newRunId() // "20261117-4f3a9c01"
 */
function newRunId(now = new Date()): string {
  const day = now.toISOString().slice(0, 10).replaceAll("-", "");
  // `crypto.randomUUID` is missing on plain HTTP from another host.
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  return `${day}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
