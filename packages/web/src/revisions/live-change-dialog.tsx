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

const REFUSAL = "Nothing was changed";
const LONGEST_MESSAGE = 1000;

interface LiveChangeDialogProps {
  readonly app: string;
  readonly title: string;
  /** What the button says: "Deploy". */
  readonly action: string;
  /**
   * What would be done, given what is live; or why nothing can be. What is chosen for the reader goes
   * by what was live when they were first asked: it must not become another under their hands.
   */
  readonly plan: (now: readonly Environment[], opened: readonly Environment[]) => LivePlan | string;
  /** Stands above what would change. */
  readonly children?: (now: readonly Environment[], opened: readonly Environment[]) => ReactNode;
  readonly onClose: () => void;
}

/**
 * Asks before what is live in an environment changes, and says exactly what will. What is live is read
 * when it opens, when the window is looked at again, and once more before anything is done: nobody
 * confirms what they have not read.
 */
export function LiveChangeDialog(props: LiveChangeDialogProps) {
  const { app, title, action, plan, children, onClose } = props;
  const formId = useId();
  const toaster = useToaster();
  const client = usePlatform();
  const queries = useQueryClient();
  const readOnlyReason = useReadOnlyReason();
  const [message, setMessage] = useState("");
  const [opened, setOpened] = useState<readonly Environment[] | null>(null);

  const options = { ...environmentsQuery(client, app), staleTime: 0 };
  const environments = useQuery({ ...options, refetchOnWindowFocus: "always" });
  const now = environments.isFetchedAfterMount ? environments.data : undefined;
  if (opened === null && now !== undefined) setOpened(now);
  const planned = now && plan(now, opened ?? now);
  const isReady = typeof planned === "object";

  const change = useConfirmedChange({
    change: async (_, agreed: LivePlan) => {
      const latest = await queries.fetchQuery(options);
      const current = plan(latest, opened ?? latest);
      if (
        now === undefined ||
        typeof current === "string" ||
        planText(latest, current) !== planText(now, agreed)
      ) {
        throw new Error("Something else became live meanwhile. Look at what would change now.");
      }
      return changeLive(client, app, agreed.environment, agreed.change, message.trim());
    },
    refusal: REFUSAL,
    onDone: ({ environment, variant }) => {
      toaster.done(
        <>
          {environment} runs {revisionText(variant)}.{" "}
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

  const submit = () => {
    if (isReady && !change.isPending) change.mutate(planned);
  };

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
      {now === undefined ? (
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
            submit();
          }}
        >
          {children?.(now, opened ?? now)}
          {isReady ? (
            <LiveChangeSummary plan={planned} now={now} opened={opened ?? now} />
          ) : (
            <p>{planned}</p>
          )}
          <Field label="Message" description="Why, for the history. May be left out.">
            {(ids) => (
              <TextInput
                {...ids}
                value={message}
                maxLength={LONGEST_MESSAGE}
                onChange={(event) => setMessage(event.target.value)}
              />
            )}
          </Field>
          {change.error !== null && <ChangeFailure title={REFUSAL} error={change.error} />}
          {isReady && <LiveChangeContent app={app} plan={planned} now={now} />}
        </form>
      )}
    </Dialog>
  );
}

interface LiveChangeSummaryProps {
  readonly plan: LivePlan;
  readonly now: readonly Environment[];
  /** What was live when the question was first asked. */
  readonly opened: readonly Environment[];
}

/** Which revision follows on which, and whether that became another while the question stood. */
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

/** Every field that changes. */
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
        Changed while this was open:{" "}
        {live === null
          ? `nothing is live in ${plan.environment} any more.`
          : `${live.deployed_by} put ${revisionText(live.variant)} into ${plan.environment} (${formatWhen(live.deployed_at, time)}).`}{" "}
        Below is what would change now.
      </span>
    </p>
  );
}

interface FirstConfigProps {
  readonly app: string;
  readonly environment: string;
  readonly to: RevisionName;
}

/** There is nothing to compare with: everything that will be live. */
function FirstConfig({ app, environment, to }: FirstConfigProps) {
  const client = usePlatform();
  const revision = useQuery(revisionQuery(client, app, to.id ?? to.slug, to.revision));
  const schema = useQuery(schemaQuery(client, app));
  return (
    <>
      <p className="text-ink-soft">
        Nothing is live in {environment}. From then on its calls run with this configuration:
      </p>
      <Loaded query={revision}>
        {({ params }) => <ParamsView params={params} schema={schema.data} />}
      </Loaded>
    </>
  );
}
