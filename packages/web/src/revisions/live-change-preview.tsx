import type { Environment } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { diffQuery, revisionQuery, schemaQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { ErrorState } from "../design/error-state.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { useNow } from "../design/use-now.ts";
import { formatAgo } from "../format/format-time.ts";
import { ConfigDiffView } from "./config-diff-view.tsx";
import { type LivePlan, liveIn, planText, type RevisionName, revisionText } from "./live-plan.ts";
import { ParamsView } from "./params-view.tsx";

interface LiveChangePreviewProps {
  readonly app: string;
  readonly plan: LivePlan;
  readonly now: readonly Environment[];
  /** What was live when the question was first asked. */
  readonly opened: readonly Environment[];
}

/** What becomes of an environment: which revision follows on which, and every field that changes. */
export function LiveChangePreview({ app, plan, now, opened }: LiveChangePreviewProps) {
  const live = liveIn(now, plan.environment);
  return (
    <div className="flex flex-col gap-3">
      <div role="status" className="contents">
        <ChangedMeanwhile plan={plan} now={now} opened={opened} />
      </div>
      <p className="font-mono text-base font-medium break-all">{planText(now, plan)}</p>
      {live === null ? (
        <FirstConfig app={app} environment={plan.environment} to={plan.to} />
      ) : (
        <Changes app={app} from={live.variant} to={plan.to} />
      )}
    </div>
  );
}

function ChangedMeanwhile({ plan, now, opened }: Omit<LiveChangePreviewProps, "app">) {
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
          : `${live.deployed_by} put ${revisionText(live.variant)} into ${plan.environment} (${formatAgo(live.deployed_at, time)}).`}{" "}
        Below is what would change now.
      </span>
    </p>
  );
}

interface ChangesProps {
  readonly app: string;
  readonly from: RevisionName;
  readonly to: RevisionName;
}

function Changes({ app, from, to }: ChangesProps) {
  const client = usePlatform();
  const diff = useQuery(diffQuery(client, app, revisionText(from), revisionText(to)));
  const schema = useQuery(schemaQuery(client, app));
  if (diff.data !== undefined) return <ConfigDiffView diff={diff.data} schema={schema.data} />;
  if (diff.error === null) return <Skeleton />;
  return <ErrorState error={diff.error} onRetry={() => void diff.refetch()} />;
}

interface FirstConfigProps {
  readonly app: string;
  readonly environment: string;
  readonly to: RevisionName;
}

/** There is nothing to compare with: everything that will be live. */
function FirstConfig({ app, environment, to }: FirstConfigProps) {
  const client = usePlatform();
  const revision = useQuery(revisionQuery(client, app, to.slug, to.revision));
  const schema = useQuery(schemaQuery(client, app));
  return (
    <>
      <p className="text-ink-soft">
        Nothing is live in {environment}. From then on its calls run with this configuration:
      </p>
      {revision.data !== undefined ? (
        <ParamsView params={revision.data.params} schema={schema.data} />
      ) : revision.error === null ? (
        <Skeleton />
      ) : (
        <ErrorState error={revision.error} onRetry={() => void revision.refetch()} />
      )}
    </>
  );
}
