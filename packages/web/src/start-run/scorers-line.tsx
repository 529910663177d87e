import type { ScorersRevision } from "@agate/protocol";
import { Button } from "../design/button.tsx";

interface ScorersLineProps {
  /** Null before the first commit. */
  readonly latest: ScorersRevision | null;
  readonly onEdit: () => void;
}

/** Which configurations the scorers of the run have, and a way to change them. */
export function ScorersLine({ latest, onEdit }: ScorersLineProps) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        Scorers:{" "}
        <span className="text-ink-soft">
          {latest === null ? "defaults of the code" : `revision ${latest.revision}`}
        </span>
      </span>
      <Button size="small" onClick={onEdit}>
        Configure…
      </Button>
    </p>
  );
}
