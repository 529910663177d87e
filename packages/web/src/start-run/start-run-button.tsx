import { CirclePlay } from "lucide-react";
import { lazy, type ReactNode, Suspense, useState } from "react";
import type { ButtonLook } from "../design/button.tsx";
import { loadPart } from "../design/load-part.ts";
import { ChangeButton } from "../revisions/read-only.tsx";
import type { RunPreset } from "./start-run-dialog.tsx";

export const LazyStartRunDialog = lazy(async () => {
  const { StartRunDialog } = await loadPart(() => import("./start-run-dialog.tsx"));
  return { default: StartRunDialog };
});

interface StartRunButtonProps {
  /** What the form begins with. */
  readonly preset: RunPreset;
  readonly look?: ButtonLook;
  readonly children?: ReactNode;
}

/** Opens the form that starts a run, which is loaded then. */
export function StartRunButton({ preset, look, children = "Start a run" }: StartRunButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ChangeButton scope="evaluate" {...(look && { look })} onClick={() => setOpen(true)}>
        <CirclePlay size={15} aria-hidden />
        {children}
      </ChangeButton>
      {isOpen && (
        <Suspense fallback={null}>
          <LazyStartRunDialog preset={preset} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
