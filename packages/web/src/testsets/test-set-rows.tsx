import type { RowDiff, TestRow, TestSet } from "@agate/protocol";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { FileUp, ListChecks, Plus } from "lucide-react";
import { type DragEvent, useState } from "react";
import { schemaQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { runsKey } from "../api/runs.ts";
import { purgeRow, readAllRows, testRowsQuery } from "../api/testsets.ts";
import { Button } from "../design/button.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { useToaster } from "../design/toaster.tsx";
import { ConfirmDialog } from "../registry/confirm-dialog.tsx";
import { MoreButton } from "../registry/more-button.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { useReadOnlyReason } from "../revisions/read-only.tsx";
import { CommitRowsDialog } from "./commit-rows-dialog.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import {
  changeCounts,
  countsText,
  NO_CHANGES,
  onTopOf,
  type RowChanges,
  reverted,
  withoutRow,
  withRow,
} from "./row-changes.ts";
import { RowDialog } from "./row-dialog.tsx";
import { RowsTable, type TableRow } from "./rows-table.tsx";
import { useTestSetsRefresh } from "./use-test-set-change.ts";

type Opened =
  | { readonly kind: "row"; readonly row: TestRow | null }
  | { readonly kind: "import"; readonly current: readonly TestRow[]; readonly text: string }
  | { readonly kind: "purge"; readonly row: TestRow }
  | { readonly kind: "commit" };

/** A draft on top of a revision. */
function useDraft(testSet: TestSet) {
  const [changes, setChanges] = useState<RowChanges>(NO_CHANGES);
  // The draft stays on the revision that it was begun on, until it is continued on a newer one.
  const [base, setBase] = useState<number | null>(null);
  useBlocker({
    shouldBlockFn: () => changes.size > 0 && !window.confirm("Discard the changes of this draft?"),
    enableBeforeUnload: () => changes.size > 0,
  });
  return {
    changes,
    base: base ?? testSet.latest_revision,
    change: (next: RowChanges) => {
      setChanges(next);
      setBase(next.size === 0 ? null : (base ?? testSet.latest_revision));
    },
    rebase: (revision: number, newer: readonly RowDiff[]) => {
      setChanges(onTopOf(changes, newer));
      setBase(revision);
    },
  };
}

/** The rows of a test set, which can be edited, imported and purged. */
export function TestSetRows({ testSet }: { readonly testSet: TestSet }) {
  const { slug, bound_to } = testSet;
  const client = usePlatform();
  const toaster = useToaster();
  const { changes, base, change, rebase } = useDraft(testSet);
  const query = useInfiniteQuery(testRowsQuery(client, slug, base));
  const schema = useQuery({
    ...schemaQuery(client, bound_to?.application ?? ""),
    enabled: bound_to !== null,
  });
  const refusal = useReadOnlyReason("evaluate");
  const [opened, setOpened] = useState<Opened | null>(null);
  const loaded = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const rows = tableRows(loaded, changes);
  const before = (id: string) => loaded.find((row) => row.id === id) ?? beforeOf(changes, id);
  const openImport = async (text: string) => {
    try {
      const all = await readAllRows(client, slug, base);
      setOpened({ kind: "import", text, current: applied(all, changes) });
    } catch (error) {
      toaster.failed(`Not imported: ${(error as Error).message}`);
    }
  };
  const drop = async (event: DragEvent) => {
    const [file] = event.dataTransfer.files;
    if (file === undefined || refusal !== null) return;
    event.preventDefault();
    await openImport(await file.text());
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button "Import" does the same.
    <div
      className="mx-4 my-4 rounded-xl border border-line bg-surface md:mx-6"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => void drop(event)}
    >
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <p role="status" className="min-w-0 flex-1 text-ink-soft">
          {changes.size === 0
            ? `Revision ${base}`
            : `Draft on revision ${base}: ${countsText(changeCounts(changes))}`}
        </p>
        <Button size="small" refusal={refusal} onClick={() => void openImport("")}>
          <FileUp size={14} aria-hidden />
          Import
        </Button>
        <Button
          size="small"
          refusal={refusal}
          onClick={() => setOpened({ kind: "row", row: null })}
        >
          <Plus size={14} aria-hidden />
          New row
        </Button>
        {changes.size > 0 && (
          <>
            <Button size="small" onClick={() => change(NO_CHANGES)}>
              Discard
            </Button>
            <Button size="small" look="primary" onClick={() => setOpened({ kind: "commit" })}>
              Commit
            </Button>
          </>
        )}
      </div>
      {base > 0 && query.data === undefined ? (
        <Loaded query={query}>{() => null}</Loaded>
      ) : rows.length === 0 ? (
        <EmptyState icon={ListChecks} title="No rows yet">
          <p>Add a row, or import CSV or JSONL: drop a file here, or paste it.</p>
        </EmptyState>
      ) : (
        <RowsTable
          rows={rows}
          refusal={refusal}
          onEdit={(row) => setOpened({ kind: "row", row })}
          onRemove={({ id }) => change(withoutRow(changes, id, before(id)))}
          onRevert={({ id }) => change(reverted(changes, id))}
          onPurge={(row) => setOpened({ kind: "purge", row })}
        />
      )}
      <MoreButton query={query}>More rows</MoreButton>
      {opened?.kind === "row" && (
        <RowDialog
          row={opened.row}
          isTaken={(id) => rows.some(({ row }) => row.id === id)}
          onSave={(row) => change(withRow(changes, row, before(row.id)))}
          onClose={() => setOpened(null)}
        />
      )}
      {opened?.kind === "import" && (
        <ImportDialog
          current={opened.current}
          initial={opened.text}
          inputSchema={schema.data?.routes.find((each) => each.route === bound_to?.route)?.inputs}
          onImport={(imported) => change(withAll(changes, imported))}
          onClose={() => setOpened(null)}
        />
      )}
      {opened?.kind === "purge" && (
        <PurgeDialog
          testSet={slug}
          row={opened.row}
          onPurged={({ id }) => change(reverted(changes, id))}
          onClose={() => setOpened(null)}
        />
      )}
      {opened?.kind === "commit" && (
        <CommitRowsDialog
          testSet={slug}
          base={base}
          changes={changes}
          onCommitted={({ test_set }) => {
            toaster.done(`Revision ${test_set.revision} committed.`);
            change(NO_CHANGES);
          }}
          onRebase={rebase}
          onClose={() => setOpened(null)}
        />
      )}
    </div>
  );
}

interface PurgeDialogProps {
  readonly testSet: string;
  readonly row: TestRow;
  readonly onPurged: (row: TestRow) => void;
  readonly onClose: () => void;
}

/** Asks before the content of a row is deleted everywhere. */
function PurgeDialog({ testSet, row, onPurged, onClose }: PurgeDialogProps) {
  const client = usePlatform();
  const queries = useQueryClient();
  const refresh = useTestSetsRefresh();
  const toaster = useToaster();
  return (
    <ConfirmDialog
      title={`Purge ${row.id}`}
      action="Purge"
      look="danger"
      refusal="Not purged"
      change={(platform) => purgeRow(platform, testSet, row.id)}
      onDone={() => {
        onPurged(row);
        toaster.done(`Purged ${row.id}.`);
        refresh();
        void queries.invalidateQueries({ queryKey: runsKey(client) });
      }}
      onClose={onClose}
    >
      <p className="wrap-anywhere">
        The content of {row.id} will be deleted from all revisions of {testSet} and from all runs,
        with its outputs. Only its id stays. This can't be undone.
      </p>
      <p>Traces with the same content are not deleted.</p>
    </ConfirmDialog>
  );
}

/** The loaded rows with their changes, then those that the draft has added or has changed further on. */
function tableRows(loaded: readonly TestRow[], changes: RowChanges): readonly TableRow[] {
  const shown = new Set(loaded.map(({ id }) => id));
  const others = [...changes].filter(([id]) => !shown.has(id));
  return [
    ...loaded.map((row) => tableRow(row, changes.get(row.id))),
    ...others.map(([, change]) =>
      tableRow(change.kind === "removed" ? change.before : change.row, change),
    ),
  ];
}

function tableRow(row: TestRow, change: TableRow["change"]): TableRow {
  return { row: change === undefined || change.kind === "removed" ? row : change.row, change };
}

function beforeOf(changes: RowChanges, id: string): TestRow | null {
  const change = changes.get(id);
  return change === undefined || change.kind === "added" ? null : change.before;
}

/** The rows with the changes of a draft. */
function applied(rows: readonly TestRow[], changes: RowChanges): readonly TestRow[] {
  const next = new Map(rows.map((row) => [row.id, row]));
  for (const [id, change] of changes) {
    if (change.kind === "removed") next.delete(id);
    else next.set(id, change.row);
  }
  return [...next.values()];
}

/** A draft with the changes of an import, which were made on top of it. */
function withAll(changes: RowChanges, imported: RowChanges): RowChanges {
  let next = changes;
  for (const [id, change] of imported) {
    const known = next.get(id);
    const before =
      known === undefined ? (change.kind === "added" ? null : change.before) : beforeOf(next, id);
    next =
      change.kind === "removed" ? withoutRow(next, id, before) : withRow(next, change.row, before);
  }
  return next;
}
