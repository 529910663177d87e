import * as ag from "@agate/sdk";
import { pause, type Step } from "./random-steps.ts";

export class WatchConfig extends ag.BaseModel {
  own = ag.Field(ag.int, { default: -1 });
  temperature = ag.Field(ag.float, { default: 0, ge: 0, le: 1 });
}

export interface Plan {
  /** Number of the call: its configuration has it too. */
  readonly own: number;
  readonly steps: readonly Step[];
}

/** Values that a call saw and that were not its own. */
export type Strange = string[];

/**
 * An app whose route looks at its configuration, its routing context and its span after every pause,
 * and tells what it saw there that was not its own.
 */
export function watchfulApp(options: ag.AppOptions) {
  const app = ag.createApp(options);

  const look = async (own: number, where: string, strange: Strange): Promise<void> => {
    const config = await app.ConfigManager.getFromRoute({ schema: WatchConfig });
    if (config.own !== own) strange.push(`${own} saw the configuration of ${config.own} ${where}`);
    const routed = ag.routingContext().config as { own?: number } | undefined;
    if (routed?.own !== own) strange.push(`${own} was routed to ${routed?.own} ${where}`);
  };

  const nested = ag.instrument({ name: "nested" })(
    async (own: number, turn: number, strange: Strange) => {
      await pause("timer", turn);
      await look(own, "in a nested function", strange);
      ag.tracing.storeMeta({ own });
      return own;
    },
  );

  const counted = ag.instrument({ name: "counted" })(async function* (
    own: number,
    strange: Strange,
  ) {
    for (let n = 0; n < 3; n += 1) {
      await pause(n % 2 === 0 ? "immediate" : "microtask", n);
      await look(own, "in a generator", strange);
      yield own;
    }
  });

  const inner = app.route(
    "/inner",
    WatchConfig,
  )(async (own: number, { config, span }) => {
    await pause("immediate", own);
    span.setAttribute("own", own);
    return { own: config.own };
  });

  app.route(
    "/watch",
    WatchConfig,
  )(async ({ own, steps }: Plan, { config, span }) => {
    const strange: Strange = [];
    if (config.own !== own) strange.push(`${own} was given the configuration of ${config.own}`);
    for (const [turn, step] of steps.entries()) {
      await pause(step, own + turn);
      await look(own, `before ${step}`, strange);
      await take(step, own, turn, strange);
      await look(own, `after ${step}`, strange);
    }
    span.setAttribute("own", own);
    return { own, strange };
  });

  async function take(step: Step, own: number, turn: number, strange: Strange): Promise<void> {
    switch (step) {
      case "nested":
        await nested(own, turn, strange);
        break;
      case "generator":
        for await (const seen of counted(own, strange)) {
          if (seen !== own) strange.push(`${own} got ${seen} of a generator`);
        }
        break;
      case "block": {
        using _block = ag.routingContextManager({ config: { own: -own } });
        await pause("immediate", turn);
        await look(-own, "in a block", strange);
        break;
      }
      case "block-with-callback":
        await ag.routingContextManager({ config: { own: -own } }, async () => {
          await nested(-own, turn, strange);
        });
        break;
      case "route": {
        const seen = await inner(own, { config: { own } });
        if (seen.own !== own) strange.push(`${own} called a route that saw ${seen.own}`);
        break;
      }
      case "parallel":
        await Promise.all([nested(own, 0, strange), nested(own, 1, strange)]);
        break;
      case "microtask":
      case "immediate":
      case "timer":
        // To pause is all they do.
        break;
    }
  }
  return app;
}

/** How many spans a call of these steps has, the call's own included. */
export function spansOfPlan({ steps }: Plan): number {
  const more: Partial<Record<Step, number>> = {
    nested: 1,
    generator: 1,
    "block-with-callback": 1,
    route: 1,
    parallel: 2,
  };
  return steps.reduce((sum, step) => sum + (more[step] ?? 0), 1);
}
