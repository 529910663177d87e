import { Link } from "@tanstack/react-router";
import { Radio } from "lucide-react";
import { Badge } from "../../design/badge.tsx";
import { orderEnvironments } from "../../revisions/order-environments.ts";
import type { KnownConfigs } from "../state/column-base.ts";
import type { Origin, RevisionName } from "../state/workspace.ts";
import type { ColumnView } from "./column-view.ts";

interface ColumnBadgesProps {
  readonly view: ColumnView;
  readonly known: KnownConfigs;
}

/** Where the revision is live, whether it is outdated, and which recorded call it is from. */
export function ColumnBadges({ view, known }: ColumnBadgesProps) {
  const base = view.kind === "ready" ? view.base : null;
  const { origin } = view.column;
  const environments = base === null ? [] : liveIn(base, known);
  const latest = known.variants.find(({ slug }) => slug === base?.variant)?.latest_revision;
  const isBehind = base !== null && latest !== undefined && latest > base.revision;
  if (environments.length === 0 && !isBehind && origin === null) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {environments.map((environment) => (
        <Badge
          key={environment}
          tone="success"
          title={`${base?.variant}@${base?.revision} is live in ${environment}`}
        >
          <Radio size={12} aria-hidden />
          live in {environment}
        </Badge>
      ))}
      {isBehind && (
        <Badge
          tone="warning"
          title="Committing a draft of this revision asks which changes to keep."
        >
          {base.variant}@{latest} is newer
        </Badge>
      )}
      {origin !== null && <OriginNote origin={origin} />}
    </div>
  );
}

function OriginNote({ origin: { traceId, spanId, ranWith } }: { readonly origin: Origin }) {
  return (
    <span className="text-[0.93rem] text-ink-soft">
      From{" "}
      <Link
        to="/traces/$traceId"
        params={{ traceId }}
        search={{ span: spanId }}
        className="text-accent underline"
      >
        trace {traceId.slice(0, 8)}
      </Link>
      {ranWith !== "" && `, ${ranWith}`}
    </span>
  );
}

function liveIn({ variant, revision }: RevisionName, { environments }: KnownConfigs): string[] {
  return orderEnvironments(environments)
    .filter(
      ({ deployment }) =>
        deployment?.variant.slug === variant && deployment.variant.revision === revision,
    )
    .map(({ slug }) => slug);
}

/** Hidden from screen readers: the accessible names contain the number already. */
export function ColumnNumber({ place }: { readonly place: number }) {
  return (
    <span aria-hidden className="font-medium text-ink-soft tabular-nums">
      {place}
    </span>
  );
}
