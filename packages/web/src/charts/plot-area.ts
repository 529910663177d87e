/** Height of a chart with its axes, in pixels. */
export const CHART_HEIGHT = 190;

/** What is around the part of a chart that has the values: the same in all, so that times line up. */
export const PLOT_MARGIN = { top: 8, right: 20, bottom: 24, left: 54 } as const;
