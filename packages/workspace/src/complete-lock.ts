import { readFile, writeFile } from 'node:fs/promises'
import { completeLock, type LockFile } from './lib/complete-lock.ts'

// After every `npm install`: entries for the platforms that a registry did not offer, so that `npm ci` takes the lock files.
for (const path of ['package-lock.json', 'packages/workspace/tools/package-lock.json']) {
  const file = new URL(`../../../${path}`, import.meta.url)
  const lock = JSON.parse(await readFile(file, 'utf8')) as LockFile
  const added = completeLock(lock)
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`)
  console.log(added.length === 0 ? `${path} is complete` : `${path}: added ${added.length}: ${added.join(', ')}`)
}
