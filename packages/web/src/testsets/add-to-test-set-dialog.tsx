import type { Application, RouteBinding, TestRow, TestSet, TestSetCommit } from "@agate/protocol";
import { plural } from "@agate/protocol/format";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { applicationsQuery } from "../api/applications.ts";
import type { PlatformClient } from "../api/platform-client.ts";
import { usePlatform } from "../api/platform-context.tsx";
import {
  addSpans,
  commitRows,
  createTestSet,
  readAllRows,
  readTestSet,
  testSetsQuery,
} from "../api/testsets.ts";
import { FormDialog } from "../design/dialog.tsx";
import { Checkbox, Field, Select } from "../design/field.tsx";
import { useToaster } from "../design/toaster.tsx";
import { NameField, nameProblem } from "../registry/name-field.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { useReadOnlyReason } from "../revisions/read-only.tsx";
import { type Candidate, distinctCases } from "./span-case.ts";
import { useTestSetChange } from "./use-test-set-change.ts";

interface AddToTestSetDialogProps {
  readonly candidates: readonly Candidate[];
  readonly onClose: () => void;
}

interface Addition {
  /** The slug of the set. */
  readonly slug: string;
  /** The route of a set to create; undefined where the set exists. */
  readonly created?: { readonly boundTo: RouteBinding | null };
  readonly rows: readonly TestRow[];
}

/** Adds recorded calls or cases to a test set, or to a new one. What cannot be added is named. */
export function AddToTestSetDialog({ candidates, onClose }: AddToTestSetDialogProps) {
  const client = usePlatform();
  const testSets = useQuery(testSetsQuery(client));
  const applications = useQuery(applicationsQuery(client)).data ?? [];
  const toaster = useToaster();
  const [chosen, setChosen] = useState<string | null>(null);
  const [newSlug, setNewSlug] = useState("");
  const [takesOutput, setTakesOutput] = useState(false);
  const refusal = useReadOnlyReason("evaluate");
  const cases = distinctCases(candidates);
  const refused = candidates.flatMap((each) => (each.kind === "refused" ? [each] : []));
  const slug = chosen ?? testSets.data?.[0]?.slug ?? "";
  const add = useTestSetChange(addRows, ({ added, known, slug: target }) => {
    onClose();
    toaster.done(
      <>
        {added === 0 ? "Nothing added" : `${plural(added, "row")} added`} to{" "}
        <Link to="/testsets/$set" params={{ set: target }} className="text-accent underline">
          {target}
        </Link>
        {known > 0 && `; ${known.toLocaleString("en")} already there`}.
      </>,
    );
  });
  const rows = cases.map(
    ({ id, inputs, output, outputProblem, source }): TestRow => ({
      id,
      inputs,
      ...(takesOutput && output !== undefined && outputProblem === null && { expected: output }),
      metadata: {},
      tags: [],
      source,
    }),
  );
  const isNew = testSets.isSuccess && slug === "";
  const problem = isNew ? nameProblem(add.error) : undefined;
  const submit = () =>
    add.mutate(
      isNew
        ? { slug: newSlug.trim(), created: { boundTo: commonRoute(cases, applications) }, rows }
        : { slug, rows },
    );
  return (
    <FormDialog
      title="Add to test set"
      action={cases.length > 1 ? `Add ${cases.length}` : "Add"}
      onClose={onClose}
      onSubmit={submit}
      isPending={add.isPending}
      isEmpty={cases.length === 0 || (isNew && newSlug.trim() === "") || !testSets.isSuccess}
      refusal={refusal}
    >
      <Field label="Test set">
        {(ids) => (
          <Select {...ids} value={slug} onChange={(event) => setChosen(event.target.value)}>
            {(testSets.data ?? []).map((each) => (
              <option key={each.id} value={each.slug}>
                {each.slug} ({plural(each.rows, "row")})
              </option>
            ))}
            <option value="">New test set…</option>
          </Select>
        )}
      </Field>
      {isNew && <NameField value={newSlug} problem={problem} onChange={setNewSlug} />}
      {cases.some(({ output }) => output !== undefined) && (
        <Field label="Take the output as the expected value" isInline>
          {(ids) => (
            <Checkbox
              {...ids}
              checked={takesOutput}
              onChange={(event) => setTakesOutput(event.target.checked)}
            />
          )}
        </Field>
      )}
      <Refusals
        refused={[
          ...refused,
          ...cases.flatMap(({ name, outputProblem, source }) =>
            takesOutput && outputProblem !== null
              ? [{ name, source, reason: `${outputProblem} Added without an expected value.` }]
              : [],
          ),
        ]}
      />
      {add.error !== null && problem === undefined && (
        <ChangeFailure title="Not added" error={add.error} />
      )}
    </FormDialog>
  );
}

interface RefusalsProps {
  readonly refused: readonly Pick<
    Extract<Candidate, { readonly kind: "refused" }>,
    "name" | "reason" | "source"
  >[];
}

function Refusals({ refused }: RefusalsProps) {
  if (refused.length === 0) return null;
  return (
    <ul
      aria-label="Not added"
      className="max-h-40 overflow-y-auto rounded-lg bg-warning-soft px-3 py-2"
    >
      {refused.map(({ name, reason, source }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change.
        <li key={index} className="wrap-anywhere">
          {source === null ? (
            <strong className="font-medium">{name}</strong>
          ) : (
            <Link
              to="/traces/$traceId"
              params={{ traceId: source.trace_id }}
              search={{ span: source.span_id }}
              target="_blank"
              title={`Open trace ${source.trace_id} in a new tab`}
              className="font-medium underline"
            >
              {name}
            </Link>
          )}
          : {reason}
        </li>
      ))}
    </ul>
  );
}

/** The route that all cases are calls of; null where they differ, or it is not registered. */
function commonRoute(
  cases: ReturnType<typeof distinctCases>,
  applications: readonly Application[],
): RouteBinding | null {
  const route = cases[0]?.route ?? null;
  const isRegistered = applications.some(
    ({ slug, routes }) => slug === route?.application && routes?.includes(route.route),
  );
  const isCommon = cases.every(
    (each) => each.route?.application === route?.application && each.route?.route === route?.route,
  );
  return isCommon && isRegistered ? route : null;
}

interface AddedRows {
  readonly slug: string;
  readonly added: number;
  /** How many were in the set before. */
  readonly known: number;
}

/** Adds the rows that a set does not have yet: those that it has stay as they are. */
async function addRows(client: PlatformClient, addition: Addition): Promise<AddedRows> {
  const { slug, created, rows } = addition;
  if (created) await createTestSet(client, { slug, bound_to: created.boundTo });
  const calls = rows.flatMap(({ source, expected }) =>
    source === null ? [] : [{ ...source, with_output: expected !== undefined }],
  );
  const written = rows.filter(({ source }) => source === null);
  const added = (await addSpans(client, slug, calls)) + (await addWritten(client, slug, written));
  return { slug, added, known: rows.length - added };
}

/** How often a commit is tried anew because another one was faster. */
const MOST_TRIES = 3;

/** Adds rows that are no recorded calls; gives how many. */
async function addWritten(
  client: PlatformClient,
  slug: string,
  rows: readonly TestRow[],
): Promise<number> {
  if (rows.length === 0) return 0;
  for (let tries = 1; ; tries++) {
    const testSet: TestSet = await readTestSet(client, slug);
    const known = new Set(
      (await readAllRows(client, slug, testSet.latest_revision)).map(({ id }) => id),
    );
    const upsert = rows.filter(({ id }) => !known.has(id));
    if (upsert.length === 0) return 0;
    try {
      const commit: TestSetCommit = await commitRows(client, slug, {
        upsert,
        delete: [],
        base_revision: testSet.latest_revision,
        message: `Add ${plural(upsert.length, "row")}`,
      });
      return commit.added;
    } catch (error) {
      const isStale = error instanceof ApiError && error.has("revision_stale");
      if (!isStale || tries === MOST_TRIES) throw error;
    }
  }
}
