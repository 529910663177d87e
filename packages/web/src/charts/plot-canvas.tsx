import "uplot/dist/uPlot.min.css";
import { useLayoutEffect, useRef } from "react";
import { drawPlot, type Plot } from "./draw-plot.ts";

interface PlotCanvasProps {
  readonly plot: Plot;
  /** In pixels. */
  readonly width: number;
  /** Colours are read from the page when it is drawn, so it is drawn anew when they change. */
  readonly theme: "light" | "dark";
}

/** The drawn part of a chart. It has the charting library with it: load it when it is shown. */
export function PlotCanvas({ plot, width, theme }: PlotCanvasProps) {
  const host = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme is what the colours come from.
  useLayoutEffect(() => {
    if (host.current === null || width === 0) return;
    return drawPlot(host.current, plot, width);
  }, [plot, width, theme]);
  return <div ref={host} aria-hidden="true" />;
}
