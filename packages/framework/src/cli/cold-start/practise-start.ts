import { writeFileSync } from 'node:fs'
import { systemClock } from '@botwright/clock'
import { spawnEarly } from '../../runtime/threads/bare-worker.ts'
import { Shutdown } from '../shutdown.ts'
import { loadStart } from './load-start.ts'

// The program that `compileStart` runs: a whole start and end of a bot, of which it writes down what V8 has compiled.

/** Whoever runs it may be gone: then the service is, too, and nobody ends the bot. */
const LIMIT_MS = 10_000

const { startCommand, compiled } = loadStart()
const [folder, out] = process.argv.slice(2) as [string, string]
systemClock.after(LIMIT_MS, () => process.exit(1))
spawnEarly()
void startCommand({ folder }, new Shutdown()).then(() => {
  writeFileSync(out, compiled())
  process.exit()
})
