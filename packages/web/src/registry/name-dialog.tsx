import type { ReactNode } from "react";
import { useState } from "react";
import { ApiError } from "../api/api-error.ts";
import type { PlatformClient } from "../api/platform-client.ts";
import { FormDialog } from "../design/dialog.tsx";
import { Field, TextInput } from "../design/field.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { useConfirmedChange } from "../revisions/use-confirmed-change.ts";

const REFUSAL = "Nothing was changed";

interface NameDialogProps<Output> {
  readonly title: string;
  /** What the button says: "Rename". */
  readonly action: string;
  /** What it is called now. */
  readonly initial?: string;
  readonly change: (client: PlatformClient, slug: string) => Promise<Output>;
  readonly onDone: (output: Output) => void;
  readonly onClose: () => void;
  /** What there is to know before. */
  readonly children?: ReactNode;
}

/** Asks for a name, for something new or in place of the old one. */
export function NameDialog<Output>(props: NameDialogProps<Output>) {
  const { title, action, initial = "", change, onDone, onClose, children } = props;
  const [slug, setSlug] = useState(initial);
  const making = useConfirmedChange({
    change,
    refusal: REFUSAL,
    onDone: (output: Output) => {
      onClose();
      onDone(output);
    },
  });
  const { error } = making;
  const problem = error instanceof ApiError ? slugProblem(error) : undefined;
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      action={action}
      onSubmit={() => making.mutate(slug.trim())}
      isPending={making.isPending}
      isEmpty={slug.trim() === "" || slug === initial}
    >
      {children}
      <Field
        label="Name"
        description="Lower-case letters and digits, with single - _ . between them."
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
              making.reset();
            }}
          />
        )}
      </Field>
      {error !== null && problem === undefined && <ChangeFailure title={REFUSAL} error={error} />}
    </FormDialog>
  );
}

/** What is wrong with the name itself belongs to its field. */
function slugProblem(error: ApiError): string | undefined {
  return error.detail.find(({ loc }) => loc.at(-1) === "slug")?.msg;
}
