import type { BotEvent } from '@botwright/events'
import type { Outcome } from '@botwright/framework'
import type { Crowd } from './crowd.ts'
import type { FoundList } from './found.ts'
import { noNetwork } from './own-globals.ts'
import { type Place, placeIn } from './places.ts'
import type { PlayBot } from './play-bot.ts'
import type { PlayFaults } from './play-faults.ts'
import type { Played } from './played.ts'

interface Options {
  bot: PlayBot
  found: FoundList
  faults: PlayFaults
  played: Played
  crowd: Crowd
}

/** Errors that the faults of a play cause: the framework notifies the person. */
const injected = /injected|no connection to the service|connection broke|no complete response|ECONNRESET|Bad gateway/
/** The status of such a response, or a number of the author. */
const failed = /\b50\d\b/
/** `ctx.once` after a crash in the middle of its work: an error by design. */
const unsure = /an earlier run of this event was interrupted here/
/** The answer to a click whose message has been deleted meanwhile. */
const gone = /interaction not found/
/** Answers of the service that a handler could expect. */
const refusal = /\b(?:400|403|404|409|413|422|429)\b/

/** Looks at the outcome of a handler. */
export function watchOutcome(
  outcome: Outcome,
  event: BotEvent | undefined,
  { bot, found, faults, played, crowd }: Options,
): void {
  const { file, result, error, reason } = outcome
  if (file !== undefined && (result === 'ok' || result === 'error')) played.ran.add(file)
  if (file !== undefined) {
    const { author_id, user_id } = event?.data ?? {}
    const person = crowd.numberOf(String(author_id ?? user_id))
    played.windows.handled(file, { isRefused: result === 'refused', person })
  }
  if (result === 'refused' && file !== undefined && reason !== undefined) played.refused.set(file, reason)
  if (reason === 'no file handles this button') {
    const id = String(event?.data['custom_id'])
    found.add('button', placeOfButton(bot, id), `no file handles the button with the custom_id "${id}"`)
  }
  if (!error || (result !== 'error' && result !== 'timed_out')) return
  const { message } = error
  if (injected.test(message) || message.includes(noNetwork) || unsure.test(message) || gone.test(message)) return
  if (failed.test(message) && faults.explains('http')) return
  const place = error.at.includes(':') ? placeIn(error.at) : { file: file ?? error.at }
  if (result === 'timed_out') {
    if (!faults.explains('http')) found.add('timeout', place, `its handler ${message}`)
    return
  }
  if (message.includes('the same message was just posted')) {
    // The handler runs again after a crash, and the message is there already.
    const isAgain = (['kill', 'kill_at_write', 'stop', 'http'] as const).some((kind) => faults.explains(kind))
    if (!isAgain) found.add('repeated_message', place, crowd.readable(message))
    return
  }
  const isRefused = refusal.test(message) && /:/.test(message)
  if (isRefused && (faults.explains('forbid') || faults.explains('http'))) return
  found.add(isRefused ? 'refused' : 'error', place, crowd.readable(message))
}

/** Where the code of a bot contains the id of a button. */
function placeOfButton(bot: PlayBot, id: string): Place {
  const [name = id] = id.split(/[:?#]/)
  for (const text of [id, name, name.slice(0, 12)]) {
    const hasText = (line: string) => ["'", '"', '`'].some((quote) => line.includes(quote + text))
    // The text alone can mean something else, such as a choice.
    for (const test of [(line: string) => line.includes('custom_id') && hasText(line), hasText])
      for (const file of bot.files) {
        const line = bot.places.lineOf(file, test)
        if (line !== undefined) return { file, line }
      }
  }
  return { file: 'the bot' }
}
