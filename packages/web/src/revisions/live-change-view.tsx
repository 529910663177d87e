import type { Environment } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { revisionQuery, schemaQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { useNow } from "../design/browser-state.ts";
import { formatAgo } from "../format/format-time.ts";
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
import { RevisionDiff } from "./revision-diff.tsx";

interface LiveChangeSummaryProps {
  readonly plan: LivePlan;
  readonly now: readonly Environment[];
  /** What was live when the question was first asked. */
  readonly opened: readonly Environment[];
}

/** Which revision follows on which, and whether that became another while the question stood. */
export function LiveChangeSummary({ plan, now, opened }: LiveChangeSummaryProps) {
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
export function LiveChangeContent({ app, plan, now }: LiveChangeContentProps) {
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
          : `${live.deployed_by} put ${revisionText(live.variant)} into ${plan.environment} (${formatAgo(live.deployed_at, time)}).`}{" "}
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
