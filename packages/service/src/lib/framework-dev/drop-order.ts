/**
 * The order in which the entries of a list, oldest first, make room for new ones. Of its older half, those that failed go last. The newer half
 * goes after that, so that new entries are shown although all others have failed.
 */
export function dropOrder<T>(all: readonly T[], hasFailed: (one: T) => boolean): T[] {
  const older = all.slice(0, all.length / 2)
  return [...older.filter((one) => !hasFailed(one)), ...older.filter(hasFailed), ...all.slice(older.length)]
}
