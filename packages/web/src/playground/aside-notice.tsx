import { useState } from "react";
import { Button } from "../design/button.tsx";
import { NoticeBar } from "./notice-bar.tsx";

/** Says that nothing is lost, though something else is shown than one had left. */
export function AsideNotice({ onBringBack }: { readonly onBringBack: () => void }) {
  const [isClosed, setClosed] = useState(false);
  if (isClosed) return null;
  return (
    <NoticeBar
      text="This link shows other edits and test cases than you had here. Yours are kept."
      action={
        <Button size="small" className="shrink-0" onClick={onBringBack}>
          Bring mine back
        </Button>
      }
      onClose={() => setClosed(true)}
    />
  );
}
