/** One figure beside its reference from the same run. */
export interface Line {
  readonly what: string;
  readonly measured: string;
  readonly reference: string;
  readonly ratio: string;
  readonly target: string;
}

export function printLines(lines: readonly Line[]): void {
  for (const { what, measured, reference, ratio, target } of lines) {
    process.stdout.write(
      `\n${what}\n  ${measured}; ${reference}\n  ratio ${ratio}, target ${target}\n`,
    );
  }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}

export function perSecond(rate: number, of: string): string {
  return `${Math.round(rate).toLocaleString("en")} ${of}/s`;
}

export function ratio(value: number): string {
  return value.toFixed(2);
}
