import { useEffect, useState } from "react";

const DRAWN_EVERY_MS = 100;

interface RunningTimeProps {
  /** By the page's clock (`performance.now`). */
  readonly since: number;
}

/** How long something has been going on. Not read out: it would never end. */
export function RunningTime({ since }: RunningTimeProps) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), DRAWN_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <span aria-hidden className="text-[0.93rem] text-ink-soft tabular-nums">
      {((now - since) / 1000).toFixed(1)} s
    </span>
  );
}
