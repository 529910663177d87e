import type { Environment } from "@agate/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import { environmentsQuery, revisionQuery, schemaQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { changeLive } from "../api/registry-changes.ts";
import { useNow } from "../design/browser-state.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { ErrorState, Skeleton } from "../design/empty-state.tsx";
import { Field, TextInput } from "../design/field.tsx";
import { useToaster } from "../design/toaster.tsx";
import { formatWhen } from "../format/format-time.ts";
import { ChangeFailure } from "./change-failure.tsx";
import { RevisionDiff } from "./config-diff-view.tsx";
import {
  type LivePlan,
  liveIn,
  planText,
  type RevisionName,
  revisionText,
  revisionTextById,
} from "./live-plan.ts";
import { Loaded } from "./loaded.tsx";
import { ParamsView } from "./params-view.tsx";
import { useReadOnlyReason } from "./read-only.tsx";
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
  const readOnlyReason = useReadOnlyReason();
  const [message, setMessage] = useState("");
  const { environments, live, planned, change } = useLiveChange(props, message);
  const isReady = typeof planned === "object";
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
          {change.error !== null && <ChangeFailure title={FAILURE} error={change.error} />}
          {isReady && <LiveChangeContent app={app} plan={planned} now={live.now} />}
        </form>
      )}
    </Dialog>
  );
}

/**
 * Loads what is live when the dialog opens, when the window gets the focus, and again before the change: a
 * plan that differs from the one on the screen is not carried out.
 */
function useLiveChange({ app, plan, onClose }: LiveChangeDialogProps, message: string) {
  const toaster = useToaster();
  const client = usePlatform();
  const queries = useQueryClient();
  const [opened, setOpened] = useState<readonly Environment[] | null>(null);

  const options = { ...environmentsQuery(client, app), staleTime: 0 };
  const environments = useQuery({ ...options, refetchOnWindowFocus: "always" });
  const now = environments.isFetchedAfterMount ? environments.data : undefined;
  if (opened === null && now !== undefined) setOpened(now);
  const live = now && { now, opened: opened ?? now };

  const change = useConfirmedChange({
    change: async (_, confirmed: LivePlan) => {
      const latest = await queries.fetchQuery(options);
      const current = plan(latest, opened ?? latest);
      if (
        now === undefined ||
        typeof current === "string" ||
        planText(latest, current) !== planText(now, confirmed)
      ) {
        throw new Error("What is live has changed. Review the changes and confirm again.");
      }
      return changeLive(client, app, confirmed.environment, confirmed.change, message.trim());
    },
    refusal: FAILURE,
    onDone: ({ environment, variant }) => {
      toaster.done(
        <>
          {revisionText(variant)} is live in {environment}.{" "}
          <Link
            to="/apps/$app/environments/$environment"
            params={{ app, environment }}
            className="font-medium text-accent underline"
          >
            History of {environment}
          </Link>
        </>,
      );
      onClose();
    },
  });
  return { environments, live, planned: live && plan(live.now, live.opened), change };
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

interface LiveChangeContentProps {
  readonly app: string;
  readonly plan: LivePlan;
  readonly now: readonly Environment[];
}

/** All fields that change. */
function LiveChangeContent({ app, plan, now }: LiveChangeContentProps) {
  const live = liveIn(now, plan.environment);
  return live === null ? (
    <FirstConfig app={app} environment={plan.environment} to={plan.to} />
  ) : (
    <RevisionDiff app={app} from={revisionTextById(live.variant)} to={revisionTextById(plan.to)} />
  );
}

function ChangedMeanwhile({ plan, now, opened }: LiveChangeSummaryProps) {
  const time = useNow();
  const live = liveIn(now, plan.environment);
  if (liveIn(opened, plan.environment)?.id === live?.id) return null;
  return (
    <p className="flex items-start gap-2 rounded-lg bg-warning-soft px-3 py-2 text-warning">
      <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
      <span>
        Changed while this dialog was open:{" "}
        {live === null
          ? `nothing is live in ${plan.environment} now.`
          : `${live.deployed_by} deployed ${revisionText(live.variant)} to ${plan.environment} (${formatWhen(live.deployed_at, time)}).`}{" "}
        The changes below are up to date.
      </span>
    </p>
  );
}

interface FirstConfigProps {
  readonly app: string;
  readonly environment: string;
  readonly to: RevisionName;
}

/** The whole configuration, because there is nothing to compare it with. */
function FirstConfig({ app, environment, to }: FirstConfigProps) {
  const client = usePlatform();
  const revision = useQuery(revisionQuery(client, app, to.id ?? to.slug, to.revision));
  const schema = useQuery(schemaQuery(client, app));
  return (
    <>
      <p className="text-ink-soft">
        Nothing is live in {environment} yet. Its calls will use this configuration:
      </p>
      <Loaded query={revision}>
        {({ params }) => <ParamsView params={params} schema={schema.data} />}
      </Loaded>
    </>
  );
}
