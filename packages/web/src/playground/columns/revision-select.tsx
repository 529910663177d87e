import { useInfiniteQuery } from "@tanstack/react-query";
import { revisionsQuery } from "../../api/applications.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { Select } from "../../design/field.tsx";
import type { RevisionName } from "../state/workspace.ts";

interface RevisionSelectProps {
  readonly app: string;
  readonly base: RevisionName;
  readonly onChange: (revision: number) => void;
}

/** What comes after the revisions that are listed: a choice which reads more of them. */
const OLDER = "older";

/** Another revision of the same variant. */
export function RevisionSelect({ app, base, onChange }: RevisionSelectProps) {
  const revisions = useInfiniteQuery(revisionsQuery(usePlatform(), app, base.variant));
  const listed = revisions.data?.pages.flatMap(({ items }) => items) ?? [];
  const isListed = listed.some(({ variant }) => variant.revision === base.revision);
  return (
    <Select
      aria-label={`Revision of ${base.variant}`}
      className="w-20 shrink-0"
      value={base.revision}
      onChange={({ target }) => {
        if (target.value === OLDER) void revisions.fetchNextPage();
        else onChange(Number(target.value));
      }}
    >
      {!isListed && <option value={base.revision}>@{base.revision}</option>}
      {listed.map(({ variant: { revision }, message }) => (
        <option key={revision} value={revision}>
          @{revision}
          {/* The chosen one is shown where there is no room for it. */}
          {message && revision !== base.revision && ` ${message}`}
        </option>
      ))}
      {revisions.hasNextPage && <option value={OLDER}>Older …</option>}
    </Select>
  );
}
