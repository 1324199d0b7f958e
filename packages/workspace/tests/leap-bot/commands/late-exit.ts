/** Occupies its thread, and ends it. */
export default () => {
  const endMs = performance.now() + 1500
  while (performance.now() < endMs);
  process.exit(1)
}
