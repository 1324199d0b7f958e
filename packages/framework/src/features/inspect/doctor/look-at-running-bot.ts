import type { Config } from '../../../author/config/config.ts'
import { type BotPorts, readPorts } from '../../../program/env.ts'
import { withOverrides } from '../../../runtime/config/read-config.ts'
import type { Problem } from '../../problems/problems.ts'
import { type Finding, ok, warning } from './finding.ts'
import { originOf } from './origin-of.ts'

/** A bot that takes longer to answer does not respond. */
const PATIENCE_MS = 5000

/** The problems that the bot reports at its health port, if it runs here. */
export async function lookAtRunningBot(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { health } = withOverrides(config, portsOf(env))
  if (!health || health.port === 0) return []
  const problems = await problemsAt(`${originOf(health)}/readyz`)
  if (!problems) return []
  const subject = 'running bot'
  if (problems.length === 0) return [ok(subject, `it reports no problems on port ${health.port}`)]
  return problems.map(({ code, text, fix }) => warning(subject, `${code}: ${text}`, fix))
}

function portsOf(env: NodeJS.ProcessEnv): BotPorts {
  try {
    return readPorts(env)
  } catch {
    // `lookAtService` reports the variable.
    return {}
  }
}

/** Undefined if no bot answers there. */
async function problemsAt(url: string): Promise<Pick<Problem, 'code' | 'text' | 'fix'>[] | undefined> {
  let answer: unknown
  try {
    answer = await (await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(PATIENCE_MS) })).json()
  } catch {
    // Nothing listens there, or another program.
    return undefined
  }
  const { ready, problems } = (answer ?? {}) as { ready?: unknown; problems?: unknown }
  return typeof ready === 'boolean' && Array.isArray(problems) ? (problems as Problem[]) : undefined
}
