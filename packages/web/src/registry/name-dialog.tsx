import type { ReactNode } from "react";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import type { PlatformClient } from "../api/platform-client.ts";
import { FormDialog } from "../design/dialog.tsx";
import { Field, TextInput } from "../design/field.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { useConfirmedChange } from "../revisions/use-confirmed-change.ts";

const REFUSAL = "No changes made";

interface NameDialogProps<Output> {
  readonly title: string;
  /** The label of the button: "Rename". */
  readonly action: string;
  /** The current name. */
  readonly initial?: string;
  readonly change: (client: PlatformClient, slug: string) => Promise<Output>;
  readonly onDone: (output: Output) => void;
  readonly onClose: () => void;
  /** An explanation. */
  readonly children?: ReactNode;
}

/** Asks for a name, to create or rename something. */
export function NameDialog<Output>(props: NameDialogProps<Output>) {
  const { title, action, initial = "", change, onDone, onClose, children } = props;
  const [slug, setSlug] = useState(initial);
  const naming = useConfirmedChange({
    change,
    refusal: REFUSAL,
    onDone: (output: Output) => {
      onClose();
      onDone(output);
    },
  });
  const { error } = naming;
  const problem = error instanceof ApiError ? slugProblem(error) : undefined;
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      action={action}
      onSubmit={() => naming.mutate(slug.trim())}
      isPending={naming.isPending}
      isEmpty={slug.trim() === "" || slug === initial}
    >
      {children}
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
              naming.reset();
            }}
          />
        )}
      </Field>
      {error !== null && problem === undefined && <ChangeFailure title={REFUSAL} error={error} />}
    </FormDialog>
  );
}

/** Errors of the name are shown at its field. */
function slugProblem(error: ApiError): string | undefined {
  return error.detail.find(({ loc }) => loc.at(-1) === "slug")?.msg;
}
