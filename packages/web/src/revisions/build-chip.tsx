import type { Build, DeployedBuild } from "@agate/protocol";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Package } from "lucide-react";
import { buildQuery, buildsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";

/** As git abbreviates it. */
const COMMIT_LENGTH = 7;

interface BuildChipProps {
  readonly app: string;
  /** Null where none is known. */
  readonly build: DeployedBuild | null;
}

/** A deployment's code: the number of its build, its commit, and whether it runs elsewhere. */
export function BuildChip({ app, build }: BuildChipProps) {
  const known = useBuild(app, build);
  if (build === null) return <span className="text-ink-soft italic">no build</span>;
  const commit = known?.commit ?? null;
  return (
    <span
      title={known && `${known.message === "" ? "" : `“${known.message}”, `}by ${known.created_by}`}
      className="inline-flex h-6 max-w-full items-center gap-1 rounded-md bg-sunken px-1.5 text-[0.93rem] font-medium text-ink"
    >
      <Package size={14} aria-hidden className="shrink-0 text-ink-soft" />
      <span className="tabular-nums">build {build.number}</span>
      {commit !== null && (
        <span className="truncate font-mono font-normal text-ink-soft" title={commit}>
          {commitText(commit)}
        </span>
      )}
      {build.kind === "external" && (
        <span className="font-normal text-ink-soft">runs elsewhere</span>
      )}
    </span>
  );
}

/** @example commitText("9fceb02d0ae598e95dc970b74767f19372d61af8") // "9fceb02" */
export function commitText(commit: string): string {
  return commit.slice(0, COMMIT_LENGTH);
}

/** The facts of a build: from the list where it is among the newest. Undefined until they are loaded. */
export function useBuild(app: string, build: DeployedBuild | null): Build | undefined {
  const client = usePlatform();
  const newest = useInfiniteQuery({ ...buildsQuery(client, app), enabled: build !== null });
  const listed = newest.data?.pages
    .flatMap(({ items }) => items)
    .find(({ id }) => id === build?.id);
  const asked = useQuery({
    ...buildQuery(client, app, build?.number ?? 0),
    enabled: build !== null && newest.data !== undefined && listed === undefined,
  });
  return listed ?? asked.data;
}
