import type { RouteBinding, TestSet } from "@agate/protocol";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { changeTestSet, createTestSet } from "../api/testsets.ts";
import { FormDialog } from "../design/dialog.tsx";
import { Field, TextInput } from "../design/field.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { RoutePicker } from "./route-picker.tsx";
import { useTestSetChange } from "./use-test-set-change.ts";

interface TestSetDialogProps {
  /** The set to change; null for a new one. */
  readonly testSet: TestSet | null;
  readonly onDone: (testSet: TestSet) => void;
  readonly onClose: () => void;
}

/** Creates a test set, or changes its name and route. */
export function TestSetDialog({ testSet, onDone, onClose }: TestSetDialogProps) {
  const [slug, setSlug] = useState(testSet?.slug ?? "");
  const [route, setRoute] = useState<RouteBinding | null>(testSet?.bound_to ?? null);
  const saving = useTestSetChange(
    (client, given: { slug: string; bound_to: RouteBinding | null }) =>
      testSet === null ? createTestSet(client, given) : changeTestSet(client, testSet.slug, given),
    (saved) => {
      onClose();
      onDone(saved);
    },
  );
  const { error } = saving;
  const problem = error instanceof ApiError ? slugProblem(error) : undefined;
  return (
    <FormDialog
      title={testSet === null ? "New test set" : `Edit ${testSet.slug}`}
      action={testSet === null ? "Create" : "Save"}
      onClose={onClose}
      onSubmit={() => saving.mutate({ slug: slug.trim(), bound_to: route })}
      isPending={saving.isPending}
      isEmpty={slug.trim() === ""}
    >
      <Field
        label="Name"
        description="Lower-case letters and digits, separated by single - _ or ."
        problem={problem}
      >
        {(ids) => (
          <TextInput
            {...ids}
            value={slug}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setSlug(event.target.value);
              saving.reset();
            }}
          />
        )}
      </Field>
      <RoutePicker value={route} onChange={setRoute} />
      {error !== null && problem === undefined && <ChangeFailure title="Not saved" error={error} />}
    </FormDialog>
  );
}

function slugProblem(error: ApiError): string | undefined {
  return error.detail.find(({ loc }) => loc.at(-1) === "slug")?.msg;
}
