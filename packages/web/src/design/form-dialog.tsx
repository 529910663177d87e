import { type ReactNode, useId } from "react";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

interface FormDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** What the button says that sends it: "Rename". */
  readonly action: string;
  readonly onSubmit: () => void;
  readonly isPending: boolean;
  /** Whether there is nothing to send yet. */
  readonly isEmpty: boolean;
  /** Why it cannot be sent as it is. */
  readonly refusal?: string | null;
  readonly children: ReactNode;
}

/** A question with fields to fill in: Enter sends it, as the button does. */
export function FormDialog(props: FormDialogProps) {
  const { title, onClose, action, onSubmit, isPending, isEmpty, refusal = null, children } = props;
  const formId = useId();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            form={formId}
            disabled={isEmpty || isPending}
            refusal={refusal}
          >
            {isPending ? "Working…" : action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (refusal === null) onSubmit();
        }}
      >
        {children}
      </form>
    </Dialog>
  );
}
