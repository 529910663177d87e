import { useEffect, useRef } from "react";
import type { PlatformClient } from "../api/platform-client.ts";
import { useRegistryChange } from "../api/registry-changes.ts";
import { useToaster } from "../design/toaster.tsx";
import { failureTitle } from "./change-failure.tsx";

interface ConfirmedChange<Input, Output> {
  readonly change: (client: PlatformClient, input: Input) => Promise<Output>;
  /** The title of the error: "Not deleted". */
  readonly refusal: string;
  readonly onDone: (output: Output) => void;
}

/**
 * A change that a dialog confirms. Its result is reported even if the user closes the dialog before: some
 * changes take a while.
 */
export function useConfirmedChange<Input, Output>(asked: ConfirmedChange<Input, Output>) {
  const { change, refusal, onDone } = asked;
  const toaster = useToaster();
  const isOpen = useRef(false);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return useRegistryChange(change, {
    onSuccess: onDone,
    onError: (error) => {
      // An open dialog shows the error itself, with its details.
      if (!isOpen.current) toaster.failed(`${failureTitle(refusal, error)}: ${error.message}`);
    },
  });
}
