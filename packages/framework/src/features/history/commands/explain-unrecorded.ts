import { join } from 'node:path'
import { systemClock } from '@botwright/clock'
import type { SetAside } from '@botwright/events'
import { printableLine } from '@botwright/protocol/facts'
import { openBotSetAside } from '../../host-files/state-files.ts'
import { describeEvent } from '../event-words.ts'
import { localTime } from '../local-time.ts'

const MOST = 20

/**
 * Explains events of a bot that records none: those that the journal in this folder has set aside. Returns false if it has nothing about
 * the event. `event`: the id of one, or the one that was set aside last; default: all.
 */
export function explainUnrecorded(
  stateDir: string,
  {
    event,
    json,
    print,
    note,
  }: { event: number | 'last' | undefined; json: boolean; print: (text: string) => void; note: (text: string) => void },
): boolean {
  using journal = openBotSetAside(join(stateDir, 'journal.db'), systemClock)
  const all = (journal?.feeds ?? []).flatMap((feed) => feed.list())
  const wanted = all.filter((one) => typeof event !== 'number' || one.event.id === event)
  const found = wanted.toSorted((a, b) => b.atMs - a.atMs || b.event.id - a.event.id)
  if (found.length === 0) return false
  for (const one of found.slice(0, event === 'last' ? 1 : MOST))
    print(json ? JSON.stringify(jsonOf(one)) : linesOf(one).join('\n'))
  note(
    'This bot records no events, so only those that were set aside are known: set record: true in bot.config.ts for their steps. The log has the errors',
  )
  return true
}

function linesOf({ event: { id, type, data, created_at }, reason, atMs }: SetAside): string[] {
  const { what, who } = describeEvent({ type, data }, '')
  return [
    printableLine(
      `#${id}  ${localTime(Date.parse(created_at))}  ${[what, who].filter((part) => part !== '').join('  ')}`,
    ),
    `  set aside ${localTime(atMs)}: ${printableLine(reason)}`,
    `  "framework replay ${id}" runs it again`,
  ]
}

const jsonOf = ({ event: { id, type, created_at }, reason, atMs }: SetAside) => ({
  event: { id, type, created_at },
  recorded: false,
  set_aside: { at: new Date(atMs).toISOString(), reason },
})
