import type { TestRow } from "@agate/protocol";
import { Eraser, Pencil, Trash2, Undo2 } from "lucide-react";
import { previewOf } from "../api/trace-row.ts";
import { Badge } from "../design/badge.tsx";
import { IconButton } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import type { Tone } from "../design/tone.ts";
import { useReadOnlyReason } from "../revisions/read-only.tsx";
import type { RowChange } from "./row-changes.ts";

/** A row of the table: as the revision has it, and what the draft does to it. */
export interface TableRow {
  readonly row: TestRow;
  readonly change: RowChange | undefined;
}

interface RowsTableProps {
  readonly rows: readonly TableRow[];
  readonly refusal: string | null;
  readonly onEdit: (row: TestRow) => void;
  readonly onRemove: (row: TestRow) => void;
  readonly onRevert: (row: TestRow) => void;
  readonly onPurge: (row: TestRow) => void;
}

const NEEDS_ADMIN_TO_PURGE = "Purging a row needs a key with the admin scope.";

const TONES: Record<RowChange["kind"], Tone> = {
  added: "success",
  changed: "accent",
  removed: "danger",
};

/** The rows of a test set with their changes. */
export function RowsTable(props: RowsTableProps) {
  const { rows, refusal, onEdit, onRemove, onRevert, onPurge } = props;
  const purgeRefusal = useReadOnlyReason("admin");
  return (
    <div className="overflow-x-auto">
      <table className="w-full min-w-xl table-fixed text-left">
        <thead className="text-[0.93rem] text-ink-soft">
          <tr className="border-b border-line">
            <th className="w-44 px-4 py-2 font-medium">Id</th>
            <th className="px-2 py-2 font-medium">Inputs</th>
            <th className="px-2 py-2 font-medium">Expected</th>
            <th className="w-40 px-2 py-2 font-medium">Tags</th>
            <th className="w-32 px-2 py-2">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, change }) => (
            <tr key={row.id} className="border-b border-line align-top last:border-b-0">
              <td className="px-4 py-2">
                <span className="flex min-w-0 flex-wrap items-center gap-1.5">
                  <code className="max-w-full truncate font-mono text-[0.93rem]" title={row.id}>
                    {row.id}
                  </code>
                  {change && <Badge tone={TONES[change.kind]}>{change.kind}</Badge>}
                  {row.purged && <Badge>purged</Badge>}
                </span>
              </td>
              {row.purged ? (
                <td colSpan={2} className="px-2 py-2 text-ink-soft">
                  Content deleted
                </td>
              ) : (
                <>
                  <ValueCell value={row.inputs} isRemoved={change?.kind === "removed"} />
                  <ValueCell value={row.expected} isRemoved={change?.kind === "removed"} />
                </>
              )}
              <td className="px-2 py-2">
                <span className="flex flex-wrap gap-1">
                  {row.tags.map((tag) => (
                    <Badge key={tag} title={tag}>
                      {tag}
                    </Badge>
                  ))}
                </span>
              </td>
              <td className="px-2 py-1">
                <span className="flex justify-end">
                  {change && (
                    <IconButton
                      icon={Undo2}
                      label={`Revert ${row.id}`}
                      onClick={() => onRevert(row)}
                    />
                  )}
                  {change?.kind !== "removed" && !row.purged && (
                    <IconButton
                      icon={Pencil}
                      label={`Edit ${row.id}`}
                      refusal={refusal}
                      onClick={() => onEdit(row)}
                    />
                  )}
                  {change?.kind !== "added" && !row.purged && (
                    <IconButton
                      icon={Eraser}
                      label={`Purge ${row.id}`}
                      refusal={purgeRefusal === null ? null : NEEDS_ADMIN_TO_PURGE}
                      onClick={() => onPurge(row)}
                    />
                  )}
                  {change?.kind !== "removed" && (
                    <IconButton
                      icon={Trash2}
                      label={`Remove ${row.id}`}
                      refusal={refusal}
                      onClick={() => onRemove(row)}
                    />
                  )}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ValueCell({ value, isRemoved }: { readonly value: unknown; readonly isRemoved: boolean }) {
  const text = value === null ? "null" : previewOf(value);
  return (
    <td className="px-2 py-2">
      <p
        dir="auto"
        className={classNames(
          "line-clamp-2 wrap-anywhere",
          (text === "" || isRemoved) && "text-ink-soft",
          isRemoved && "line-through",
        )}
      >
        {text === "" ? "–" : text}
      </p>
    </td>
  );
}
