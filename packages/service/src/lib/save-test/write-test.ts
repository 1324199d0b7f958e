import { limits } from '@botwright/protocol/limits'
import { printableLine } from '@botwright/protocol/printable'
import type { World } from '../world/world.ts'
import type { BotAction, ChannelName, Conversation, Step } from './conversation-types.ts'

/** Options of a generated test. */
export interface TestOptions {
  /** The title of the test. */
  title: string
  /** The path of the bot's folder, relative to the test file. Default: `..`. */
  folder?: string
  /** The world that the bot ran in, unless it is the default world. */
  world?: World | null
  /** Environment variables of the bot. */
  env?: Readonly<Record<string, string>>
}

/** Shorter pauses are not reproduced in the test. */
const PAUSE_MS = 10_000
/** Longer lines are broken. */
const LINE_WIDTH = 110
/** The channels of a test's default world. */
const usualChannels = ['general', 'random', 'staff']
/** Names that a test uses otherwise, and reserved words. */
const taken = new Set(
  'chat folder test expect startTestBot URL await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield arguments eval undefined'.split(
    ' ',
  ),
)
const answerName = /^answer\d*$/
/** The reply of the bot for a handler that threw. */
const failure = /^Something went wrong \(ref \w+\)\.$/
const mention = /<([@#])([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})>/gi
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

/** Writes a test with `@botwright/testing` from a conversation: what each person does, and what the bot must do in response. */
export function writeTest(conversation: Conversation, options: TestOptions): string {
  const { channel, names, channels } = conversation
  const steps = withWrittenAnswers(conversation.steps)
  const { env = {} } = options
  const mentioned = steps.flatMap(mentionsIn).flatMap((id) => names.get(id) ?? [])
  const variables = variablesOf([...steps.map(({ username }) => username), ...mentioned])
  const place = placeOf(conversation, options.world)
  const texts = { names, variables, channels }
  const server = serverOf(conversation, options.world)
  const used = new Set(steps.map(({ on }) => on))
  const lines: string[] = []
  for (const [username, name] of variables) lines.push(`const ${name} = chat.person(${quoted(username)})${place}`)
  lines.push('')
  let lastMs = steps[0]?.atMs ?? 0
  steps.forEach((step, index) => {
    const pauseMs = step.atMs - lastMs
    lastMs = step.atMs
    if (pauseMs >= PAUSE_MS) lines.push(`await chat.clock.advance({ seconds: ${Math.round(pauseMs / 1000)} })`)
    lines.push(...linesOf(step, { index, name: variables.get(step.username)!, server, texts, named: used.has(index) }))
  })
  return [
    "import { startTestBot } from '@botwright/testing'",
    "import '@botwright/testing/matchers'",
    "import { expect, test } from 'vitest'",
    '',
    `const folder = new URL(${quoted(options.folder ?? '..')}, import.meta.url)`,
    '',
    ...noteOn(channel, options.world),
    `test(${quoted(options.title)}, async () => {`,
    // Texts with dates are correct only at that time.
    `  await using chat = await startTestBot(folder, ${printed({ now: new Date(steps[0]?.atMs ?? 0).toISOString(), trace: 'on-failure', ...(Object.keys(env).length > 0 && { env }), ...(options.world && { world: options.world }) }, '  ')})`,
    ...lines.map((line) => (line === '' ? '' : `  ${line}`)),
    '})',
    '',
  ].join('\n')
}

/** The test has no answer of a step that it cannot write, or whose handler fails: what refers to it refers to an unknown message. */
function withWrittenAnswers(steps: readonly Step[]): Step[] {
  const written: Step[] = []
  for (const step of steps) {
    const target = typeof step.on === 'number' ? written[step.on] : undefined
    written.push(target && !hasAnswer(target) ? { ...step, on: 'unknown' } : step)
  }
  return written
}

const hasAnswer = (step: Step): boolean => noteInsteadOf(step, '') === undefined && !hasFailed(step)

/** The comment in place of a step that the test cannot repeat. */
function noteInsteadOf(step: Step, name: string): string | undefined {
  if (step.on === 'unknown' && step.kind !== 'message')
    return `// ${name} ${verbs[step.kind]} ${safe(step.what) || 'a button'} on a message that this test does not have.`
  return step.kind === 'click' && step.what === '' ? `// ${name} clicks a button of an unknown message.` : undefined
}

/** Where the people of a conversation are. Without a place the kit has them in #general, or in the first channel that there is. */
function placeOf({ channel, server }: Conversation, world: World | null | undefined): string {
  if (channel === null) return '.dm()'
  const having = (world?.servers ?? []).filter(({ channels = [] }) => channels.some(({ name }) => name === channel))
  // The kit takes the first channel of a name.
  if (having.slice(1).some(({ name }) => name === server) && having[0]?.name !== server)
    return `.in(chat.world.servers${key(server!)}!.channels${key(channel)}!)`
  const isUsual = channel === 'general' && (!world || having[0] === world.servers?.[0])
  return isUsual ? '' : `.in(${quoted(channel)})`
}

/** The server that people join and leave, as the test names it: without a name it is the first one. */
const serverOf = ({ server }: Conversation, world: World | null | undefined): string =>
  server === undefined || !world?.servers?.slice(1).some(({ name }) => name === server) ? '' : quoted(server)

/** A comment for the author if the world of the test lacks the channel. */
function noteOn(channel: string | null, world: World | null | undefined): string[] {
  const there = world
    ? (world.servers ?? []).flatMap(({ channels = [] }) => channels.map(({ name }) => name))
    : usualChannels
  if (channel === null || there.includes(channel)) return []
  return [
    world
      ? `// The world below has no channel #${safe(channel)}. Add it there.`
      : `// The default world has no channel #${safe(channel)}. Pass a world that has one: startTestBot(folder, { world, … }).`,
  ]
}

interface Writing {
  index: number
  name: string
  server: string
  texts: Texts
  /** Whether a later step refers to this step's answer. */
  named: boolean
}

function linesOf(step: Step, { index, name, server, texts, named }: Writing): string[] {
  const on = typeof step.on === 'number' ? `answer${step.on + 1}` : undefined
  const note = noteInsteadOf(step, name)
  if (note !== undefined) return [note]
  const act = actOf(step, { name, server, on }, (content) => typed(content, texts))
  // The test kit throws the errors of handlers.
  if (hasFailed(step))
    return ['// The handler failed. Once it is fixed, expect its answer.', `await expect(${act}).rejects.toThrow()`]
  const checks = [...new Set(step.actions.flatMap((action) => checksOf(action, (content) => expected(content, texts))))]
  if (checks.length === 0 && !named) return [`await ${act}`]
  if (checks.length === 1 && !named) return [`expect(await ${act}).${checks[0]}`]
  const answer = `answer${index + 1}`
  return [`const ${answer} = await ${act}`, ...checks.map((check) => `expect(${answer}).${check}`)]
}

/** Whether the handler of a step threw. */
export const hasFailed = ({ actions }: Step): boolean => actions.some(({ content }) => failure.test(content))

const verbs = { click: 'clicks', react: 'reacts with', unreact: 'removes', join: 'joins', leave: 'leaves' } as const

function actOf(
  step: Step,
  { name, server, on }: Pick<Writing, 'name' | 'server'> & { on: string | undefined },
  text: (content: string) => string,
): string {
  const and = on === undefined ? '' : `, ${on}`
  switch (step.kind) {
    case 'message':
      return on === undefined ? `${name}.says(${text(step.what)})` : `${name}.replies(${on}, ${text(step.what)})`
    case 'click':
      return `${name}.clicks(${quoted(step.what)}${and})`
    case 'react':
      return `${name}.reacts(${quoted(step.what)}${and})`
    case 'unreact':
      return `${name}.unreacts(${quoted(step.what)}${and})`
    case 'join':
      return `${name}.joins(${server})`
    case 'leave':
      return `${name}.leaves(${server})`
  }
}

function checksOf(action: BotAction, text: (content: string) => string): string[] {
  const { kind, content, embeds, buttons, emoji, channel } = action
  if (kind === 'react') return [`toHaveReacted(${quoted(emoji)})`]
  const matcher = kind === 'update' ? 'toHaveUpdated' : 'toHaveReplied'
  const wanted = content === '' ? '' : text(content)
  const more = [
    ...(kind === 'ephemeral' ? ['ephemeral: true'] : []),
    ...(channel === undefined ? [] : [`channel_name: ${quoted(channel)}`]),
  ]
  const fields = [...(wanted === '' ? [] : [`content: ${wanted}`]), ...more].join(', ')
  const first = more.length > 0 ? `${matcher}({ ${fields} })` : `${matcher}(${wanted})`
  const cards = embeds.map((embed) => {
    const fields = (['title', 'description'] as const).flatMap((key) => {
      const value = embed[key]
      return typeof value === 'string' && value !== '' ? [`${key}: ${text(value)}`] : []
    })
    const rows = fieldsOf(embed).map(
      ({ name, value }) => `{ name: ${within(text(name))}, value: ${within(text(value))} }`,
    )
    if (rows.length > 0) fields.push(`fields: [${rows.join(', ')}]`)
    return `toHaveEmbed(${fields.length > 0 ? `{ ${fields.join(', ')} }` : ''})`
  })
  return [first, ...cards, ...buttons.map((face) => `toHaveButton(${quoted(face)})`)]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The fields of a card that a bot sends; the service drops the others (§2). */
const fieldsOf = ({ fields }: BotAction['embeds'][number]): { name: string; value: string }[] =>
  (Array.isArray(fields) ? (fields as unknown[]) : [])
    .slice(0, limits.embed_fields.bot)
    .map((field) => Object(field) as Record<string, unknown>)
    .map(({ name, value }) => ({ name: textOf(name), value: textOf(value) }))

/** A pattern within a list has to be a matcher of vitest. */
const within = (source: string): string => (source.startsWith('/') ? `expect.stringMatching(${source})` : source)

/** The ids of the people mentioned in a step. */
function mentionsIn({ what, actions }: Step): string[] {
  const texts = actions.flatMap(({ content, embeds }) => [
    content,
    ...embeds.flatMap((one) => [
      one['title'],
      one['description'],
      ...fieldsOf(one).flatMap(({ name, value }) => [name, value]),
    ]),
  ])
  return [what, ...texts].flatMap((text) =>
    [...String(text).matchAll(mention)].flatMap(([, sign, id]) => (sign === '@' ? [id!.toLowerCase()] : [])),
  )
}

/** A variable for each person, in order of appearance. */
function variablesOf(usernames: readonly string[]): Map<string, string> {
  const variables = new Map<string, string>()
  for (const username of usernames) {
    if (variables.has(username)) continue
    const plain = username.replaceAll(/[^\p{ID_Continue}$]+(\p{ID_Continue})?/gu, (_all, next: string | undefined) =>
      (next ?? '').toUpperCase(),
    )
    const name =
      /^[\p{ID_Start}$_]/u.test(plain) && !taken.has(plain) && !answerName.test(plain)
        ? plain
        : `person${capital(plain)}`
    const used = new Set(variables.values())
    let free = name
    for (let n = 2; used.has(free); n++) free = `${name}${n}`
    variables.set(username, free)
  }
  return variables
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The names for ids in texts. */
interface Texts {
  names: ReadonlyMap<string, string>
  variables: ReadonlyMap<string, string>
  channels: ReadonlyMap<string, ChannelName>
}

/** A text that a person sends: ids of people and channels become expressions of the test, other ids stay. */
const typed = (content: string, texts: Texts): string => withMentions(content, texts) ?? quoted(content)

/** A text that the bot must send: like `typed`, but a pattern if it contains unknown ids. */
function expected(content: string, texts: Texts): string {
  const written = withMentions(content, texts)
  const rest = written === undefined ? content : content.replaceAll(mention, '')
  if (rest.search(uuid) < 0) return written ?? quoted(content)
  return `/^${content.split(uuid).map(escaped).join('[0-9a-f-]{36}')}$/`
}

/** A template literal with expressions for the mentions; undefined if there are none, or some cannot be expressed. */
function withMentions(content: string, texts: Texts): string | undefined {
  const known = [...content.matchAll(mention)].map(([, sign, id]) => calledInTest(sign!, id!.toLowerCase(), texts))
  if (known.length === 0 || known.includes(undefined)) return undefined
  const parts = visible(content.replaceAll(/[`\\]|\$\{/g, '\\$&'))
  return `\`${parts.replaceAll(mention, (_all, sign: string) => `<${sign}\${${known.shift()!}}>`)}\``
}

function calledInTest(sign: string, id: string, { names, variables, channels }: Texts): string | undefined {
  if (sign === '@') {
    const person = variables.get(names.get(id) ?? '')
    return person && `await ${person}.known()`
  }
  const channel = channels.get(id)
  return channel && `chat.world.servers${key(channel.server)}?.channels${key(channel.name)}`
}

const isName = (text: string): boolean => /^[a-z_$][\w$]*$/i.test(text)
const key = (name: string): string => (isName(name) ? `.${name}` : `[${quoted(name)}]`)

/** Escapes a text for a regular expression. */
const escaped = (text: string): string => visible(text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))

/** Escapes characters that change how a reader sees the lines of the test; half characters cannot be written to a file. */
const visible = (text: string): string =>
  printableLine(text).replaceAll(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`)

/** A string literal in single quotes, as in the rest of the code base. */
function quoted(text: string): string {
  const inner = visible(JSON.stringify(text).slice(1, -1))
  // Use double quotes for texts with an apostrophe.
  if (text.includes("'") && !text.includes('"')) return `"${inner}"`
  return `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** A value as source text: on one line where it fits. */
function printed(value: unknown, indent: string): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((one) => printed(one, inner))
    : Object.entries(value).map(([name, one]) => `${isName(name) ? name : quoted(name)}: ${printed(one, inner)}`)
  const line = Array.isArray(value) ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
  if (parts.length === 0) return `${open}${close}`
  if (!line.includes('\n') && indent.length + line.length <= LINE_WIDTH) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

/** Makes a text safe for a line comment. */
const safe = (text: string): string => visible(text.replaceAll(/\s+/g, ' '))
