import { type Finding, keyOf, type SimulationMessage, type SimulationRequest } from '@botwright/dev/compile'
import type { PlayCase } from './cases/case.ts'
import { caseOf } from './cases/case-of.ts'
import { checkCase } from './cases/check-case.ts'
import { Coverage } from './coverage.ts'
import type { Found, Moment } from './found.ts'
import { PlayBot } from './play-bot.ts'
import { play } from './play.ts'
import { cpuMs, shrinkCase } from './cases/shrink-case.ts'

/** The longest time of the processor for the shrinking of one problem, and of all. */
const SHRINK_MS = 8000
const ALL_SHRINK_MS = 50_000
/** Refusals of everyone after which a command counts as unreachable. */
const MANY_SEEDS = 20

/** Plays seeds of a bot, and sends what it finds. Runs in a process of its own: it replaces the globals of Node. */
export async function playSeeds(request: SimulationRequest, send: (message: SimulationMessage) => void): Promise<void> {
  const { root, first, seeds, minutes, faults, env, known } = request
  const bot = await PlayBot.open(root, { env })
  const coverage = new Coverage(root)
  await coverage.start()
  try {
    // Once undisturbed, so that the definitions are known.
    await play(bot, { seed: 0, mode: 'restart', lengthMs: 1000, acts: [], faults: [] })
    bot.onRemove = () => coverage.take()
    const handlers = bot.definitions.filter(({ kind }) => !['state', 'resource', 'middleware'].includes(kind))
    send({ kind: 'ready', handlers: handlers.length, files: bot.definitions.length })
    const reported = new Set(known)
    const ran = new Set<string>()
    const refused = new Map<string, string>()
    let shrinkMs = ALL_SHRINK_MS
    const one = async (drawn: PlayCase) => {
      const { seed } = drawn
      send({ kind: 'play', seed, play: drawn })
      const { found, played } = await checkCase(bot, drawn, {
        at: (step, file) => send({ kind: 'at', seed, step, file }),
      })
      for (const file of played.ran) ran.add(file)
      for (const [file, reason] of played.refused) refused.set(file, reason)
      for (const each of found) {
        if (reported.has(keyOf(each)) || isIntended(bot, each)) continue
        reported.add(keyOf(each))
        const beganMs = cpuMs()
        const small =
          shrinkMs > 0
            ? await shrinkCase(bot, drawn, { found: each, longestMs: Math.min(SHRINK_MS, shrinkMs) })
            : undefined
        shrinkMs -= cpuMs() - beganMs
        const { lines } = small?.checked.played ?? played
        const { when, ...shown } = small?.found ?? each
        const steps = lines.slice(0, stepsUntil(lines, when))
        send({ kind: 'finding', finding: { ...shown, seed, steps, play: small?.play ?? drawn } })
      }
      send({ kind: 'seed', seed, acts: drawn.acts.length })
    }
    if (request.play !== undefined) return await one(request.play as PlayCase)
    for (let seed = first; seed < first + seeds; seed++) await one(caseOf(seed, bot.stage, { minutes, faults }))
    if (seeds >= MANY_SEEDS)
      for (const [file, reason] of refused) {
        const finding: Finding = {
          ...bot.places.withLine({ file }),
          ...{ kind: 'unreachable', severity: 'warning', seed: first, steps: [], play: undefined },
          text: `no person of the simulation may use it: ${reason}`,
        }
        if (!ran.has(file) && !reported.has(keyOf(finding)) && !isIntended(bot, finding))
          send({ kind: 'finding', finding })
      }
    await bot.removeCopies()
    send({ kind: 'coverage', files: coverage.report() })
  } finally {
    bot.onRemove = undefined
    await bot.removeCopies()
    coverage.stop()
    bot.close()
  }
}

const isIntended = ({ settings }: PlayBot, { kind, file }: Pick<Found, 'kind' | 'file'>): boolean =>
  settings.intended?.includes(`${kind} ${file}`) === true

/** The lines until a problem, with the answer of the bot to it. */
function stepsUntil(lines: readonly string[], when: Moment | undefined): number {
  let end = when?.lines ?? lines.length
  while (/^\S.*? {3}bot: /.test(lines[end] ?? '') && end < (when?.lines ?? 0) + 2) end++
  return end
}
