/**
 * Makes `Date.now` differ from call to call. OpenTelemetry's SDK starts spans at whole milliseconds,
 * and mocks answer within one: without it the order of their spans would be left to their ids.
 */
export function startTickingClock(): Disposable {
  const { now } = Date;
  let last = 0;
  Date.now = () => {
    last = Math.max(last + 1, now());
    return last;
  };
  return {
    [Symbol.dispose]: () => {
      Date.now = now;
    },
  };
}
