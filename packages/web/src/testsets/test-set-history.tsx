import type { TestSet } from "@agate/protocol";
import { plural } from "@agate/protocol/format";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { testSetHistoryQuery } from "../api/testsets.ts";
import { buttonClass } from "../design/button.tsx";
import { Checkbox } from "../design/field.tsx";
import { MoreButton } from "../registry/more-button.tsx";
import { Ago } from "../revisions/ago.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { countsText } from "./row-changes.ts";

/** The revisions of a test set; two of them can be compared. */
export function TestSetHistory({ testSet: { slug } }: { readonly testSet: TestSet }) {
  const history = useInfiniteQuery(testSetHistoryQuery(usePlatform(), slug));
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const [from, to] = chosen.toSorted((one, other) => one - other);
  const id = useId();
  return (
    <div className="mx-4 my-4 rounded-xl border border-line bg-surface md:mx-6">
      <div className="flex min-h-11 items-center justify-between gap-2 border-b border-line px-4 py-2">
        <p className="text-ink-soft">Select two to compare</p>
        {from !== undefined && to !== undefined && (
          <Link
            to="/testsets/$set/diff"
            params={{ set: slug }}
            search={{ from: String(from), to: String(to) }}
            className={buttonClass("primary", "small")}
          >
            Compare {from} with {to}
          </Link>
        )}
      </div>
      <Loaded query={history}>
        {({ pages }) => {
          const revisions = pages.flatMap(({ items }) => items);
          if (revisions.length === 0) return <p className="p-4 text-ink-soft">No revisions yet.</p>;
          return (
            <ul className="divide-y divide-line">
              {revisions.map(({ test_set: { revision }, ...each }) => (
                <li
                  key={revision}
                  className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5"
                >
                  <Checkbox
                    id={`${id}-${revision}`}
                    checked={chosen.includes(revision)}
                    onChange={() =>
                      setChosen(
                        chosen.includes(revision)
                          ? chosen.filter((other) => other !== revision)
                          : [...chosen.slice(-1), revision],
                      )
                    }
                  />
                  <label htmlFor={`${id}-${revision}`} className="font-medium tabular-nums">
                    Revision {revision}
                  </label>
                  <span className="text-ink-soft">
                    {countsText(each)} · {plural(each.rows, "row")}
                  </span>
                  <span className="min-w-0 wrap-anywhere">{each.message}</span>
                  <span className="text-ink-soft md:ml-auto">
                    {each.created_by}, <Ago time={each.created_at} />
                  </span>
                  <Link
                    to="/testsets/$set/diff"
                    params={{ set: slug }}
                    search={{ from: String(revision - 1), to: String(revision) }}
                    className="text-accent hover:underline"
                  >
                    Changes
                    <span className="sr-only"> of revision {revision}</span>
                  </Link>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <MoreButton query={history}>Earlier revisions</MoreButton>
    </div>
  );
}
