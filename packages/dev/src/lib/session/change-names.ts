import type { Entry } from '@botwright/framework'

/** The names in a reload's line: changed files, `(new)`, `(gone)`, and `old → new` for a file that was renamed or moved. */
export function changeNames(before: readonly Entry[], after: readonly Entry[], changed: readonly string[]): string[] {
  const known = new Set(before.map((entry) => entry.file))
  const there = new Set(after.map((entry) => entry.file))
  const added = after.filter((entry) => !known.has(entry.file))
  const gone = before.filter((entry) => !there.has(entry.file))
  const renamed = new Map<Entry, Entry>()
  for (const one of added) {
    const left = gone.filter((other) => other.kind === one.kind && ![...renamed.values()].includes(other))
    const from = left.find((other) => nameOf(other) === nameOf(one)) ?? (added.length === 1 ? left[0] : undefined)
    if (from) renamed.set(one, from)
  }
  const isNew = new Set(added.map((entry) => entry.file))
  return [
    ...changed.filter((file) => !isNew.has(file)),
    ...added.map((one) => (renamed.has(one) ? `${renamed.get(one)!.file} → ${one.file}` : `${one.file} (new)`)),
    ...gone.filter((one) => ![...renamed.values()].includes(one)).map((one) => `${one.file} (gone)`),
  ]
}

const nameOf = ({ file }: Entry): string => file.slice(file.lastIndexOf('/') + 1)
