import { resolve } from 'node:path'
import type { ProgramIo } from '@botwright/framework/start'
import { BotwrightError, cut, printableBlock, printableLine } from '@botwright/protocol/facts'
import { shellWord } from '@botwright/protocol/shell-word'
import { type BotEvent, inspectorBounds } from '@botwright/service/people'
import { conversationOf, type ConversationOptions, hasFailed, writeTest } from '@botwright/service/save-test'
import { findTestFile, writeTestFile } from '../files/test-file.ts'
import { count, createTerminal } from '../terminal/terminal.ts'
import { type BotSearch, findBot } from './bot-at-service.ts'
import { findService, PersonAtService } from './person.ts'
import { runTest } from './run-test.ts'
import { testVariables } from './test-variables.ts'

export interface SaveTestOptions extends BotSearch {
  io: ProgramIo
  service: string | undefined
  /** The path of the test, from the folder. */
  file: string
  /** How many of the newest messages and clicks of people the test has; it also has what they do in between. */
  last: number
  /** The name of a channel. Default: the place of the newest event. */
  where: string | undefined
  title: string | undefined
  /** Replaces an existing file. */
  force: boolean
  /** Whether to run the test. */
  run: boolean
  json: boolean
}

const MAX_TITLE = 80

/** `framework save-test`: writes the newest actions of people and the responses of the bot as a test, and runs it. Resolves with the exit code. */
export async function runSaveTest(options: SaveTestOptions): Promise<number> {
  const { io, file, force, run, json } = options
  const folder = resolve(io.cwd)
  const terminal = createTerminal(io)
  const test = await findTestFile(folder, file, force)
  const conversation = await readConversation(options)
  const { steps } = conversation
  if (steps.length === 0)
    throw new BotwrightError(
      'ERR_CONFIG',
      `the bot has received no message, click or reaction there; the service keeps its last ${inspectorBounds.events} events`,
    )
  const title = options.title ?? (cut(steps[0]!.what, MAX_TITLE) || 'a conversation')
  const env = await testVariables(folder, io.env)
  const text = writeTest(conversation, { title, folder: test.folder, world: conversation.world, env })
  await writeTestFile(test, text)
  const answered = steps.filter(({ actions }) => actions.length > 0).length
  const failed = steps.filter(hasFailed).length
  const result = run ? await runTest(io, test.path) : undefined
  if (json) terminal.print(JSON.stringify({ file, title, steps: steps.length, answered, failed, ...result, text }))
  else {
    const { print, colors } = terminal
    const command = `npx vitest run ${shellWord(file)}`
    const outcome =
      result === undefined ? `run it with ${command}` : result.passes ? `it passes (${command})` : 'it fails'
    print(`wrote ${printableLine(file)}: ${count(steps.length, 'step')}; ${outcome}`)
    if (result?.passes === false) {
      print(colors.red(`✘ ${printableBlock(result.failure)}`))
      print(
        'The test starts with empty state and with the people of the world. Edit it, or restart the bot and repeat the conversation.',
      )
    }
    const warn = (line: string) => print(colors.yellow(`! ${line}`))
    const names = Object.keys(env)
    if (names.length > 0)
      warn(
        `env of the test has sample values for ${printableLine(names.join(', '))}: values of .env may be secret, so they are not saved`,
      )
    if (answered === 0) warn('the bot answered none of these steps: the test only checks that no handler fails')
    if (failed > 0)
      warn(
        `the handler failed in ${failed} of these steps, and the test expects this; edit it once the handler is fixed`,
      )
  }
  return result?.passes === false ? 1 : 0
}

/** The newest actions in one channel, and the world for the test. */
async function readConversation(search: SaveTestOptions) {
  const { io, service, last, where } = search
  const url = await findService(io.cwd, service)
  const anyone = await PersonAtService.signInFirst(url)
  const { id: bot_id, ownerId } = await findBot(anyone, { ...search, everywhere: true })
  // Only the owner of a bot sees its journal.
  const owner = await PersonAtService.signIn(url, (await anyone.api.users.get({ user_id: ownerId })).username)
  const journal = await owner.api.inspector.journal({ bot_id })
  const { world } = await owner.api.inspector.world({ bot_id })
  const channelId = where === undefined ? newestChannel(journal.events) : (await owner.channel(where)).id
  const views = await owner.servers()
  const view = views.find(({ channels }) => channels.some(({ id }) => id === channelId))
  const options: ConversationOptions = {
    events: journal.events,
    calls: journal.calls,
    bots: journal.bots,
    channelId: channelId ?? '',
    channel: view?.channels.find(({ id }) => id === channelId)?.name ?? null,
    serverId: view?.server.id ?? null,
    messages: view && channelId !== undefined ? await owner.messages(channelId) : [],
    people: new Map(
      views.flatMap(({ members }) => members.flatMap((one) => (one.bot ? [] : [[one.user_id, one.username] as const]))),
    ),
    channels: new Map(
      views.flatMap(({ channels, server }) =>
        channels.map(({ id, name }) => [id, { server: server.name, name }] as const),
      ),
    ),
  }
  const all = conversationOf(options).steps
  const said = all.filter(({ kind }) => kind === 'message' || kind === 'click')
  // Everything, if there is no message and no click.
  const first = said.at(-Math.min(last, said.length)) ?? all[0]
  return { ...conversationOf({ ...options, ...(first && { from: { atMs: first.atMs } }) }), world: world ?? null }
}

/** The channel of the newest event that has one. */
function newestChannel(events: readonly BotEvent[]): string | undefined {
  for (const { data } of events.toReversed()) {
    const [, id] = /"channel_id":"([0-9a-f-]{36})"/.exec(data) ?? []
    if (id !== undefined) return id
  }
  return undefined
}
