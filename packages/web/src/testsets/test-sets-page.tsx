import type { TestSet } from "@agate/protocol";
import { formatCount, plural } from "@agate/protocol/format";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ListChecks, Plus } from "lucide-react";
import { useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { testSetRevisionQuery, testSetsQuery } from "../api/testsets.ts";
import { EmptyState } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { Ago } from "../revisions/ago.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { ChangeButton } from "../revisions/read-only.tsx";
import { TestSetDialog } from "./test-set-dialog.tsx";

/** All test sets: their size, their route, and when they were last changed. */
export function TestSetsPage() {
  useTitle("Test sets");
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const testSets = useQuery(testSetsQuery(usePlatform()));
  return (
    <>
      <PageHeader
        title="Test sets"
        actions={
          <ChangeButton scope="evaluate" onClick={() => setCreating(true)}>
            <Plus size={15} aria-hidden />
            New test set
          </ChangeButton>
        }
      />
      <Loaded query={testSets} lines={6}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState icon={ListChecks} title="No test sets yet">
              <p>
                A test set holds cases: inputs of a route and what is expected of it. Create one
                here, or add recorded calls with “Add to test set” of a trace.
              </p>
            </EmptyState>
          ) : (
            <ul className="mx-4 mb-6 divide-y divide-line rounded-xl border border-line bg-surface md:mx-6">
              {items.map((testSet) => (
                <TestSetItem key={testSet.id} testSet={testSet} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isCreating && (
        <TestSetDialog
          testSet={null}
          onDone={({ slug }) => void navigate({ to: "/testsets/$set", params: { set: slug } })}
          onClose={() => setCreating(false)}
        />
      )}
    </>
  );
}

function TestSetItem({ testSet }: { readonly testSet: TestSet }) {
  const { slug, rows, bound_to, latest_revision } = testSet;
  const latest = useQuery(testSetRevisionQuery(usePlatform(), slug, latest_revision)).data;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
      <h2 className="min-w-0 text-base font-semibold">
        <Link
          to="/testsets/$set"
          params={{ set: slug }}
          className="block truncate hover:text-accent hover:underline"
        >
          {slug}
        </Link>
      </h2>
      <span className="tabular-nums" title={`${formatCount(rows)} rows`}>
        {plural(rows, "row")}
      </span>
      <RouteText boundTo={bound_to} />
      <span className="text-ink-soft md:ml-auto">
        {latest === undefined ? (
          latest_revision === 0 && "Empty"
        ) : (
          <>
            revision {latest_revision} by {latest.created_by}, <Ago time={latest.created_at} />
          </>
        )}
      </span>
    </li>
  );
}

/** The route that a set is bound to. */
export function RouteText({ boundTo }: { readonly boundTo: TestSet["bound_to"] }) {
  if (boundTo === null) return <span className="text-ink-soft">no route</span>;
  return (
    <span className="min-w-0 font-mono text-[0.93rem] break-all text-ink-soft">
      {boundTo.application} {boundTo.route}
    </span>
  );
}
