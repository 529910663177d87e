import type { Deployment, DeployResult, Environment } from "@agate/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { environmentsQuery } from "../api/applications.ts";
import { changeLive, type LiveChange } from "../api/change-live.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { useNow } from "../design/browser-state.ts";
import { Button } from "../design/button.tsx";
import { CommandLine } from "../design/copy-button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { ErrorState, Skeleton } from "../design/empty-state.tsx";
import { Checkbox, Field, TextInput } from "../design/field.tsx";
import { useToaster } from "../design/toaster.tsx";
import { formatWhen } from "../format/format-time.ts";
import { ChangeFailure } from "./change-failure.tsx";
import { type ChangeStep, ChangeSteps, withStep } from "./change-steps.tsx";
import { LiveChangeContent, notesText } from "./live-change-content.tsx";
import { type LivePlan, liveIn, pairText, planKey, planText } from "./live-plan.ts";
import { type ChangeScope, useReadOnlyReason } from "./read-only.tsx";
import { useConfirmedChange } from "./use-confirmed-change.ts";

const FAILURE = "No changes made";
const LONGEST_MESSAGE = 1000;

interface LiveChangeDialogProps {
  readonly app: string;
  readonly title: string;
  /** The label of the button: "Deploy". */
  readonly action: string;
  /**
   * The change for what is live `now`, or why there is none. Preselections must follow what was live when
   * the dialog `opened`, so that they do not change under the user's hands.
   */
  readonly plan: (now: readonly Environment[], opened: readonly Environment[]) => LivePlan | string;
  /** Shown above the changes. */
  readonly children?: (now: readonly Environment[], opened: readonly Environment[]) => ReactNode;
  readonly onClose: () => void;
}

/** Confirms a change of what is live in an environment, and shows exactly what will change. */
export function LiveChangeDialog(props: LiveChangeDialogProps) {
  const { app, title, action, children, onClose } = props;
  const formId = useId();
  const [message, setMessage] = useState("");
  const [allowsBreaking, setAllowsBreaking] = useState(false);
  const asked = { message, allowsBreaking };
  const { environments, live, planned, steps, change } = useLiveChange(props, asked);
  const isReady = typeof planned === "object";
  const readOnlyReason = useReadOnlyReason(isReady ? scopeOf(planned.change) : "either");
  return (
    <Dialog
      title={title}
      width="wide"
      onClose={onClose}
      actions={
        <>
          {readOnlyReason !== null && (
            <p className="mr-auto self-center text-ink-soft">{readOnlyReason}</p>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            form={formId}
            disabled={!isReady || readOnlyReason !== null || change.isPending}
          >
            {change.isPending ? "Working…" : action}
          </Button>
        </>
      }
    >
      {live === undefined ? (
        environments.isFetchedAfterMount && environments.error !== null ? (
          <ErrorState error={environments.error} onRetry={() => void environments.refetch()} />
        ) : (
          <Skeleton />
        )
      ) : (
        <form
          id={formId}
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady && !change.isPending) change.mutate(planned);
          }}
        >
          {children?.(live.now, live.opened)}
          {isReady ? <LiveChangeSummary plan={planned} {...live} /> : <p>{planned}</p>}
          <Field label="Message" description="Optional. Shown in the history.">
            {(ids) => (
              <TextInput
                {...ids}
                value={message}
                maxLength={LONGEST_MESSAGE}
                onChange={(event) => setMessage(event.target.value)}
              />
            )}
          </Field>
          {change.isPending && steps.length > 0 && <ChangeSteps steps={steps} />}
          {change.error !== null && (
            <LiveChangeFailure
              app={app}
              plan={isReady ? planned : null}
              error={change.error}
              allowsBreaking={allowsBreaking}
              onAllowBreaking={setAllowsBreaking}
              onReload={() => {
                change.reset();
                void environments.refetch();
              }}
            />
          )}
          {isReady && <LiveChangeContent app={app} plan={planned} now={live.now} />}
        </form>
      )}
    </Dialog>
  );
}

/** Moving code needs another scope than moving configurations. */
function scopeOf(change: LiveChange): ChangeScope {
  switch (change.kind) {
    case "deploy":
      return "admin";
    case "activate":
      return "deploy";
    case "promote":
    case "rollback":
      return change.parts === "config" ? "either" : "deploy";
  }
}

interface LiveChangeFailureProps {
  readonly app: string;
  readonly plan: LivePlan | null;
  readonly error: Error;
  readonly allowsBreaking: boolean;
  readonly onAllowBreaking: (allows: boolean) => void;
  readonly onReload: () => void;
}

/** Why nothing changed, and what can be done about it. */
function LiveChangeFailure(props: LiveChangeFailureProps) {
  const { app, plan, error, allowsBreaking, onAllowBreaking, onReload } = props;
  const has = (type: string) => error instanceof ApiError && error.has(type);
  if (has("deployment_stale") && plan?.change.kind === "promote") {
    return (
      <ChangeFailure title={`${plan.change.from} changed meanwhile`} error={error}>
        <Button size="small" onClick={onReload}>
          Reload
        </Button>
      </ChangeFailure>
    );
  }
  return (
    <ChangeFailure title={FAILURE} error={error}>
      {has("breaking_change") && (
        <Field label="Drop them: apply the change nonetheless" isInline>
          {(ids) => (
            <Checkbox
              {...ids}
              checked={allowsBreaking}
              onChange={(event) => onAllowBreaking(event.target.checked)}
            />
          )}
        </Field>
      )}
      {has("build_missing") && plan !== null && (
        <CommandLine
          command={`agate deploy app.ts --app ${app} --environment ${plan.environment}`}
        />
      )}
    </ChangeFailure>
  );
}

interface AskedChange {
  readonly message: string;
  readonly allowsBreaking: boolean;
}

/**
 * Loads what is live when the dialog opens, when the window gets the focus, and again before the change: a
 * plan that differs from the one on the screen is not carried out.
 */
function useLiveChange(
  { app, plan, onClose }: LiveChangeDialogProps,
  { message, allowsBreaking }: AskedChange,
) {
  const reportDone = useDoneReport(app);
  const client = usePlatform();
  const queries = useQueryClient();
  const [opened, setOpened] = useState<readonly Environment[] | null>(null);
  const [steps, setSteps] = useState<readonly ChangeStep[]>([]);

  const options = { ...environmentsQuery(client, app), staleTime: 0 };
  const environments = useQuery({ ...options, refetchOnWindowFocus: "always" });
  const now = environments.isFetchedAfterMount ? environments.data : undefined;
  if (opened === null && now !== undefined) setOpened(now);
  const live = now && { now, opened: opened ?? now };

  const change = useConfirmedChange({
    change: async (_, confirmed: LivePlan) => {
      setSteps([]);
      const latest = await queries.fetchQuery(options);
      const current = plan(latest, opened ?? latest);
      if (
        now === undefined ||
        typeof current === "string" ||
        planKey(latest, current) !== planKey(now, confirmed)
      ) {
        throw new Error("What is live has changed. Review the changes and confirm again.");
      }
      return changeLive(client, app, confirmed.environment, confirmed.change, {
        message: message.trim(),
        allowsBreaking,
        onStep: (step) => setSteps((before) => withStep(before, step)),
      });
    },
    refusal: FAILURE,
    onDone: (result) => {
      reportDone(result);
      onClose();
    },
  });
  return { environments, live, planned: live && plan(live.now, live.opened), steps, change };
}

/** Says what is live now, and what the build makes of it. */
function useDoneReport(app: string): (result: DeployResult) => void {
  const toaster = useToaster();
  return ({ deployment, notes, missing_variables: missing }) => {
    const { environment } = deployment;
    toaster.done(
      <>
        {sentence(pairText(deployment))} is live in {environment}. {notesText(notes)}{" "}
        {missing.length > 0 && `It lacks variables of the source: ${missing.join(", ")}. `}
        <Link
          to="/apps/$app/environments/$environment"
          params={{ app, environment }}
          className="font-medium text-accent underline"
        >
          History of {environment}
        </Link>
      </>,
    );
  };
}

/** With a capital. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface LiveChangeSummaryProps {
  readonly plan: LivePlan;
  readonly now: readonly Environment[];
  /** What was live when the dialog opened. */
  readonly opened: readonly Environment[];
}

/** The change in one line, with a warning if it changed while the dialog was open. */
function LiveChangeSummary({ plan, now, opened }: LiveChangeSummaryProps) {
  return (
    <>
      <div role="status" className="empty:hidden">
        <ChangedMeanwhile plan={plan} now={now} opened={opened} />
      </div>
      <p className="font-mono text-base font-medium break-all">{planText(now, plan)}</p>
    </>
  );
}

function ChangedMeanwhile({ plan, now, opened }: LiveChangeSummaryProps) {
  const { environment, change } = plan;
  const shown = change.kind === "promote" ? [change.from, environment] : [environment];
  const changed = shown.filter((slug) => liveIn(opened, slug)?.id !== liveIn(now, slug)?.id);
  const time = useNow();
  if (changed.length === 0) return null;
  return (
    <div className="flex items-start gap-2 rounded-lg bg-warning-soft px-3 py-2 text-warning">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <p>
        Changed while this dialog was open:{" "}
        {changed.map((slug) => changeText(slug, liveIn(now, slug), time)).join(" ")} The changes
        below are up to date.
      </p>
    </div>
  );
}

function changeText(environment: string, live: Deployment | null, time: number): string {
  if (live === null) return `nothing is live in ${environment} now.`;
  const when = formatWhen(live.deployed_at, time);
  return `${live.deployed_by} deployed ${pairText(live)} to ${environment} (${when}).`;
}
