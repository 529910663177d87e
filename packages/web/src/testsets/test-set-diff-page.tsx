import type { RowDiff, TestRow } from "@agate/protocol";
import { rowLine } from "@agate/protocol/testsets";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { usePlatform } from "../api/platform-context.tsx";
import { testSetDiffQuery } from "../api/testsets.ts";
import { Badge } from "../design/badge.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { MoreButton } from "../registry/more-button.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { TextDiff } from "../text-diff/text-diff.tsx";
import { JsonView } from "../value-view/json-view.tsx";
import { countsText } from "./row-changes.ts";

const route = getRouteApi("/testsets/$set/diff");
const TONES = { added: "success", changed: "accent", removed: "danger" } as const;

/** How the rows of one revision became those of another. */
export function TestSetDiffPage() {
  const { set } = route.useParams();
  const search = route.useSearch();
  const [from, to] = [Number(search.from ?? 0), Number(search.to ?? 0)];
  useTitle(`${set} ${from} – ${to}`);
  const diff = useInfiniteQuery(testSetDiffQuery(usePlatform(), set, { from, to }));
  return (
    <>
      <PageHeader
        title={`Revision ${from} and ${to}`}
        above={
          <Link to="/testsets/$set" params={{ set }}>
            {set}
          </Link>
        }
      />
      <Loaded query={diff}>
        {({ pages }) => (
          <div className="mx-4 mb-6 rounded-xl border border-line bg-surface md:mx-6">
            <p className="border-b border-line px-4 py-2 font-medium">
              {pages[0] && countsText(pages[0])}
            </p>
            <ul aria-label="Differences" className="divide-y divide-line">
              {pages
                .flatMap(({ items }) => items)
                .map((row) => (
                  <li key={row.id} className="flex min-w-0 flex-col gap-2 px-4 py-3">
                    <RowDifference diff={row} />
                  </li>
                ))}
            </ul>
            <MoreButton query={diff}>More differences</MoreButton>
          </div>
        )}
      </Loaded>
    </>
  );
}

function RowDifference({ diff }: { readonly diff: RowDiff }) {
  const heading = (
    <span className="flex min-w-0 flex-wrap items-center gap-2">
      <code className="min-w-0 truncate font-mono text-[0.93rem]">{diff.id}</code>
      <Badge tone={TONES[diff.change]}>{diff.change}</Badge>
    </span>
  );
  if (diff.change === "changed") {
    return <TextDiff heading={heading} from={textOf(diff.from)} to={textOf(diff.to)} isFolded />;
  }
  const row = diff.change === "added" ? diff.to : diff.from;
  return (
    <>
      {heading}
      <JsonView value={JSON.parse(rowLine(row))} label={`Row ${row.id}`} openDepth={2} />
    </>
  );
}

function textOf(row: TestRow): string {
  return JSON.stringify(JSON.parse(rowLine(row)), null, 2);
}
