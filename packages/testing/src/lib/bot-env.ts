import { readEnvFile } from '@botwright/framework/start'
import { BotwrightError } from '@botwright/protocol/facts'

/** The variables that name the bot and its service: a test has its own. */
const own = new Set(['BOT_TOKEN', 'BOT_BASE_URL', 'BOT_WEBHOOK_SECRET', 'LOG_LEVEL'])

interface Given {
  value: string
  /** The former value. */
  former: string | undefined
  /** Bots that use it. */
  count: number
}

/** A process has one environment, so the variables of a bot stay set while it runs. */
const given = new Map<string, Given>()

/**
 * Sets the variables of a bot in the process: those of its `.env` that the environment does not set, and `env`, which overrides
 * both. Calling the result restores them. Throws `ERR_CONFIG` if another bot of this process runs with another value.
 */
export function giveEnv(root: string, env: Readonly<Record<string, string>>): () => void {
  const mine: string[] = []
  const release = () => {
    for (const name of mine.splice(0)) takeBack(name)
  }
  const wanted = new Map(Object.entries(env))
  for (const [name, value] of Object.entries(readEnvFile(root))) {
    // Values that an earlier bot set are not part of the environment.
    const says = given.has(name) ? given.get(name)?.former : process.env[name]
    if (!own.has(name) && !wanted.has(name) && says === undefined) wanted.set(name, value)
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
