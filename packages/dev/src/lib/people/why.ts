import { missedWords, type RecordedEvent, timelineOf } from '@botwright/framework/replay'
import { durationText } from '@botwright/framework'
import { didYouMean, printableBlock } from '@botwright/protocol/facts'
import type { MissedQuestion } from '@botwright/protocol/timeline'
import type { ServerBot, ServerView } from '@botwright/service/people'
import type { CodeProblem } from '../problems/code-problems.ts'
import { duration } from '../terminal/terminal.ts'
import type { Action } from './actions.ts'
import type { PersonAtService } from './person.ts'

/** Why the bot does not receive the event of an action, as the people's side shows it; undefined if it does. */
export async function whyUndelivered(
  person: PersonAtService,
  action: Action,
  botId: string,
): Promise<string | undefined> {
  const { author, server, channel } = action.target
  if (author !== undefined && author !== botId) return 'the button belongs to another bot'
  const view = (await person.servers()).find((one) =>
    server === undefined ? one.channels.some(({ id }) => id === channel) : one.server.id === server,
  )
  // Direct messages reach the bot wherever it is.
  if (!view) return undefined
  const member = view.members.find(({ user_id }) => user_id === botId)
  if (!member) return `the bot is not in the server ${view.server.name}`
  const place = view.channels.find(({ id }) => id === channel)
  if (!place?.private || view.server.owner_id === botId) return undefined
  const { access } = await person.api.settings.get({ server_id: view.server.id })
  const { role_ids = [], member_ids = [] } = access.find(({ channel_id }) => channel_id === channel) ?? {}
  if (member_ids.includes(botId) || member.roles.some((id) => role_ids.includes(id))) return undefined
  return `the bot cannot see the private channel #${place.name}: none of its roles has access`
}

/** Why an event has not arrived although nothing is in its way. */
export async function whyNotReceived(
  person: PersonAtService,
  botId: string,
  { problems, waitMs }: { problems: readonly CodeProblem[]; waitMs: number },
): Promise<string> {
  const [problem] = problems
  const down = await isDown(person, botId)
  if (down && problem)
    return `the bot is not running, because its code does not load: ${problem.at === '' ? '' : `${problem.at}  `}${printableBlock(problem.text)}`
  if (down) return 'the bot is not running: it is starting or has stopped; see the terminal of framework dev'
  return `the bot has not received the event within ${duration(waitMs)}`
}

/** Whether the bot does not run. Its service still counts a bot as online for a few seconds after its last poll. */
export const isDown = async (person: PersonAtService, botId: string): Promise<boolean> =>
  (await botIn(person, botId))?.presence.status === 'offline'

/** Whether the events of a bot are sent to a URL, as far as its owner sees. Such a bot may run without a poll, and is offline then. */
export const hasEventWebhook = async (person: PersonAtService, botId: string): Promise<boolean> =>
  (await person.api.bots.list()).bots.some(({ id, event_webhook_url }) => id === botId && event_webhook_url !== null)

async function botIn(person: PersonAtService, botId: string): Promise<ServerBot | undefined> {
  return (await person.servers()).flatMap((view: ServerView) => view.bots).find(({ id }) => id === botId)
}

/** Why an event that has ended has no answer. */
export async function whyUnanswered(person: PersonAtService, event: RecordedEvent): Promise<string> {
  if (event.result === 'none') return noFile(event, await botIn(person, event.botId))
  if (event.result === 'skipped') return event.error ?? 'the event was skipped'
  return event.calls.length > 0
    ? 'its calls failed'
    : 'its handler ended without an answer: it sent nothing, and returned nothing or an empty text'
}

function noFile(event: RecordedEvent, bot: ServerBot | undefined): string {
  const { type, data } = event
  const text = data?.['content']
  const content = type === 'message' && typeof text === 'string' ? text : ''
  const unknown = bot && unknownCommand(content, bot)
  if (unknown !== undefined) return unknown
  const steps = timelineOf(event).steps.filter(({ kind }) => kind === 'unmatched')
  const rules = steps.flatMap((one) => (one.kind === 'unmatched' && one.file !== undefined ? [one.text] : []))
  const step = steps.at(-1)
  if (step?.kind === 'unmatched' && step.missed)
    return `no file handles the event: ${missedWords(step.missed)}${lateness(step.missed, event)}`
  const meant = bot && commandNames(bot).find((name) => name === content.split(' ', 1)[0])
  if (meant === undefined && rules.length > 0) return `no file handles the event: ${rules.join('; ')}`
  return meant === undefined
    ? `no file handles the event; add events/${type}.ts to handle it`
    : `no file handles the event; did you mean /${meant}?`
}

/** How long after the end of a question an event came. */
const lateness = ({ at }: MissedQuestion, { atMs }: RecordedEvent): string =>
  `, ${durationText(Math.max(atMs - Date.parse(at), 1000))} earlier`

/** That a text calls a command that the bot does not have, and which one was probably meant; undefined if it calls none. */
export async function unknownCommandOf(
  person: PersonAtService,
  content: string,
  botId: string,
): Promise<string | undefined> {
  const bot = await botIn(person, botId)
  return bot && unknownCommand(content, bot)
}

function unknownCommand(content: string, bot: ServerBot): string | undefined {
  const [, command, word = ''] = /^([/!](\S{1,40}))/.exec(content) ?? []
  const names = commandNames(bot)
  if (command === undefined || names.includes(word)) return undefined
  const near = didYouMean(word, names)
  return near === undefined
    ? `there is no command ${command}; run framework routes to list its commands`
    : `there is no command ${command}; did you mean /${near}?`
}

const commandNames = ({ commands, help }: ServerBot): string[] => [
  ...commands.map(({ name }) => name),
  ...help.flatMap(({ name, aliases }) => [name, ...aliases]),
]

/** The reason of a refusal, with the time that is left of a cooldown. */
export function whyRefused(event: RecordedEvent): string {
  const guard = timelineOf(event).steps.find((step) => step.kind === 'guard' && !step.passed)
  const leftMs = guard?.kind === 'guard' ? guard.leftMs : undefined
  return `${event.error ?? ''}${leftMs === undefined ? '' : `, ${durationText(leftMs)} left`}`
}
