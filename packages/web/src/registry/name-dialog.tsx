import type { ReactNode } from "react";
import { useState } from "react";
import type { PlatformClient } from "../api/platform-client.ts";
import { FormDialog } from "../design/dialog.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { useConfirmedChange } from "../revisions/use-confirmed-change.ts";
import { NameField, nameProblem } from "./name-field.tsx";

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
  const problem = nameProblem(error);
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
      <NameField
        value={slug}
        problem={problem}
        onChange={(name) => {
          setSlug(name);
          naming.reset();
        }}
      />
      {error !== null && problem === undefined && <ChangeFailure title={REFUSAL} error={error} />}
    </FormDialog>
  );
}
