/** A straight line through points by least squares: how steep it is, and by how much that may be chance. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): {
  readonly slope: number;
  /** Standard error. */
  readonly error: number;
} {
  const n = points.length;
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / n;
  const [x0, y0] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - y0 - slope * (x - x0)) ** 2, 0);
  return { slope, error: Math.sqrt(rest / (n - 2) / spread) };
}
