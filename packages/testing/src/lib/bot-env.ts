import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { BotwrightError } from '@botwright/protocol/facts'

/** These name the bot and its service: a test has its own. */
const own = new Set(['BOT_TOKEN', 'BOT_BASE_URL', 'BOT_WEBHOOK_SECRET', 'LOG_LEVEL'])

interface Given {
  value: string
  /** What it was before. */
  former: string | undefined
  /** Bots that were given it. */
  count: number
}

/** A process has one environment, whatever runs in it: what each bot was given stays while it runs. */
const given = new Map<string, Given>()

/**
 * Gives the process the variables of a bot: those of its `.env`, where the environment does not say otherwise, and `env`, which stands
 * above both. The result takes them back. Throws `ERR_CONFIG` when another bot of this process runs with another value.
 */
export function giveEnv(root: string, env: Readonly<Record<string, string>>): () => void {
  const mine: string[] = []
  const release = () => {
    for (const name of mine.splice(0)) takeBack(name)
  }
  const wanted = new Map(Object.entries(env))
  for (const [name, value] of Object.entries(readEnvFile(root))) {
    // What an earlier bot was given is not what the environment says.
    const says = given.has(name) ? given.get(name)?.former : process.env[name]
    if (!own.has(name) && !wanted.has(name) && says === undefined && value !== undefined) wanted.set(name, value)
  }
  try {
    for (const [name, value] of wanted) {
      give(name, value)
      mine.push(name)
    }
  } catch (error) {
    release()
    throw error
  }
  return release
}

function give(name: string, value: string): void {
  const there = given.get(name)
  if (!there) given.set(name, { value, former: process.env[name], count: 1 })
  else if (there.value === value) there.count++
  else
    throw new BotwrightError(
      'ERR_CONFIG',
      `${name}: another bot in this process has a different value, and a process has only one environment; run these tests one after the other, or in separate files`,
    )
  process.env[name] = value
}

function takeBack(name: string): void {
  const there = given.get(name)
  if (!there || --there.count > 0) return
  given.delete(name)
  if (there.former === undefined) delete process.env[name]
  else process.env[name] = there.former
}

function readEnvFile(root: string): Record<string, string | undefined> {
  const file = join(root, '.env')
  if (!existsSync(file)) return {}
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new BotwrightError('ERR_CONFIG', `.env: cannot be read (${(error as Error).message})`)
  }
}
