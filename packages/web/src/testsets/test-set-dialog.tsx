import type { RouteBinding, TestSet } from "@agate/protocol";
import { useState } from "react";
import { changeTestSet, createTestSet } from "../api/testsets.ts";
import { FormDialog } from "../design/dialog.tsx";
import { NameField, nameProblem } from "../registry/name-field.tsx";
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
  const problem = nameProblem(error);
  return (
    <FormDialog
      title={testSet === null ? "New test set" : `Edit ${testSet.slug}`}
      action={testSet === null ? "Create" : "Save"}
      onClose={onClose}
      onSubmit={() => saving.mutate({ slug: slug.trim(), bound_to: route })}
      isPending={saving.isPending}
      isEmpty={slug.trim() === ""}
    >
      <NameField
        value={slug}
        problem={problem}
        onChange={(name) => {
          setSlug(name);
          saving.reset();
        }}
      />
      <RoutePicker value={route} onChange={setRoute} />
      {error !== null && problem === undefined && <ChangeFailure title="Not saved" error={error} />}
    </FormDialog>
  );
}
