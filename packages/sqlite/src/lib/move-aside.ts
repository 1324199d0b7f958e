import { existsSync, renameSync } from 'node:fs'

/** Renames an unusable database to make room for a new one without losing data. Returns its new path. */
export function moveAside(file: string, nowMs: number): string {
  const stamp = new Date(nowMs).toISOString().replace(/[:.]/g, '-')
  let target = `${file}.broken-${stamp}`
  for (let n = 2; existsSync(target); n++) target = `${file}.broken-${stamp}-${n}`
  renameSync(file, target)
  // SQLite finds the write-ahead log by name: if it stayed, SQLite would replay it into the new file.
  for (const suffix of ['-wal', '-shm']) if (existsSync(file + suffix)) renameSync(file + suffix, target + suffix)
  return target
}
