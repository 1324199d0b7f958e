import * as z from 'zod'

/** A tool of the server: a command line, called by a program. */
export interface Tool {
  name: string
  description: string
  /** Strict: an argument that is misspelt must not be ignored. */
  input: z.ZodObject
  /** The command line. It prints JSON. */
  command: (input: Record<string, unknown>) => string[]
}

/** Keeps the types of the input between its schema and its function. */
const tool = <S extends z.ZodObject>(
  name: string,
  description: string,
  input: S,
  command: (input: z.output<S>) => string[],
): Tool => ({ name, description, input, command: command as Tool['command'] })

const person = z.string().describe('the name of a person, such as ann; a new name creates one')
const channel = z.string().default('general').describe('the name of the channel, without #')
const message = z.string().optional().describe('the id of the message (default: the newest one)')
const waitSeconds = z.number().min(0.1).max(60).default(5).describe('how long to wait for the handler')
const MAX_EVENTS = 100
const MAX_SEEDS = 500

/** An option of the command line; nothing if it has no value. */
const option = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [`--${name}`, String(value)]
const flag = (name: string, isSet: boolean): string[] => (isSet ? [`--${name}`] : [])

/** The tools for the bot in a folder, with the options of the server. */
export function toolsFor({ service, bot }: { service: string | undefined; bot: string | undefined }): Tool[] {
  const at = ['--json', ...option('service', service)]
  const about = [...at, ...option('bot', bot)]
  return [...peopleTools(about), ...worldTools(at), ...codeTools, docsSearch, saveTest(about)]
}

/** Act as a person, and return what the bot did. `about`: the options that select the service and the bot. */
function peopleTools(about: readonly string[]): Tool[] {
  const act = (verb: string, wait: number, options: readonly string[], ...words: string[]) => [
    // A duration has at most six decimals.
    ...[verb, ...about, ...options, '--wait', `${Math.round(wait * 1000)}ms`],
    ...['--', ...words],
  ]
  return [
    tool(
      'say',
      'Writes a message as a person. Returns what the bot did: its answers, the file and line of an error, or why it did nothing.',
      z.strictObject({ person, text: z.string(), channel, wait_seconds: waitSeconds }),
      (input) => act('say', input.wait_seconds, ['--in', input.channel], input.person, input.text),
    ),
    tool(
      'click',
      'Clicks a button as a person, by its label or emoji. Returns what the bot did.',
      z.strictObject({ person, label: z.string(), channel, message_id: message, wait_seconds: waitSeconds }),
      (input) =>
        act(
          'click',
          input.wait_seconds,
          ['--in', input.channel, ...option('on', input.message_id)],
          ...[input.person, input.label],
        ),
    ),
    tool(
      'react',
      'Reacts to a message as a person. Returns what the bot did.',
      z.strictObject({ person, emoji: z.string(), channel, message_id: message, wait_seconds: waitSeconds }),
      (input) =>
        act(
          'react',
          input.wait_seconds,
          ['--in', input.channel, ...option('on', input.message_id)],
          ...[input.person, input.emoji],
        ),
    ),
    tool(
      'dm',
      'Writes a direct message to the bot as a person. Returns what the bot did.',
      z.strictObject({ person, text: z.string(), wait_seconds: waitSeconds }),
      (input) => act('dm', input.wait_seconds, [], input.person, input.text),
    ),
    tool(
      'join',
      'Joins a server as a person. Returns what the bot did.',
      z.strictObject({ person, server: z.string().optional(), wait_seconds: waitSeconds }),
      ({ person: who, server, wait_seconds }) =>
        act('join', wait_seconds, [], who, ...(server === undefined ? [] : [server])),
    ),
  ]
}

/** Change the world of the local service. `at`: the options that select the service. */
function worldTools(at: readonly string[]): Tool[] {
  return [
    tool(
      'role',
      'Gives a person or a bot a role in a server of the local service, creating the role if necessary, or takes it away.',
      z.strictObject({
        person: z.string().describe('the name of a person or of a bot; a new name creates a person'),
        role: z.string(),
        server: z.string().optional(),
        permissions: z.array(z.string()).default([]).describe('also give the role these, such as manage_messages'),
        remove: z.boolean().default(false),
      }),
      ({ person: who, role, server, permissions, remove }) => [
        ...['role', ...at, ...permissions.flatMap((one) => option('permission', one)), ...flag('remove', remove)],
        ...['--', who, role],
        ...(server === undefined ? [] : [server]),
      ],
    ),
    tool(
      'clock',
      'Moves the clocks of the local service and of the bot in "framework dev" forward. Returns what the bot did when its timers were due.',
      z.strictObject({ time: z.string().describe('a duration, such as +16m') }),
      ({ time }) => ['clock', ...at, '--', time],
    ),
    tool(
      'fault',
      'Makes the next responses of the local service to the bot fail. Without a path, clears all faults.',
      z.strictObject({
        method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
        path: z.string().optional().describe('a path of the bot interface, such as /channels/*'),
        fault: z.string().default('500').describe('a status, or close, cut, stall or slow'),
        times: z.int().min(1).default(1),
        seconds: z.number().min(0).max(3600).default(1).describe('the delay for slow, or Retry-After for 429'),
      }),
      ({ method, path, fault, times, seconds }) =>
        path === undefined
          ? ['fault', ...at, 'clear']
          : ['fault', ...at, ...option('times', times), ...option('seconds', seconds), '--', method, path, fault],
    ),
    tool(
      'reset',
      'Resets the local service to the world it started with. The bot keeps its state.',
      z.strictObject({}),
      () => ['reset', ...at],
    ),
  ]
}

/** Read and run the code of the bot. */
const codeTools: readonly Tool[] = [
  tool(
    'events',
    'Lists the newest events that the bot received, with the files that handled them, and the answers.',
    z.strictObject({
      limit: z.int().min(1).max(MAX_EVENTS).default(10),
      type: z.string().optional(),
      file: z.string().optional().describe('such as commands/ping.ts'),
    }),
    ({ limit, type, file }) => [
      ...['events', 'list', '--json', '--from', 'dev'],
      ...[...option('lines', limit), ...option('type', type), ...option('file', file)],
    ],
  ),
  tool(
    'explain',
    'Shows what the bot did for one event, or one run of a task or route, step by step: route, guards, handler, calls, failure with the lines of code.',
    z.strictObject({
      event: z
        .union([z.int().min(1), z.string().regex(/^(?:[a-z][\w/-]*|[A-Z]+ \/.*)$/i)])
        .describe(
          'the id of the event, as in the results of other tools, or a task or route (POST /github) for its newest run',
        ),
    }),
    ({ event }) => ['explain', '--json', '--from', 'dev', String(event)],
  ),
  tool('check', 'Loads every file of the bot and checks its types, without running it.', z.strictObject({}), () => [
    ...['check', '--json'],
  ]),
  tool(
    'simulate',
    'Lets made-up people use every command and button of the bot, while the service fails and the process ends. Returns what fails, with file, line and the steps that lead there. Takes a second for a few plays.',
    z.strictObject({
      seeds: z.int().min(1).max(MAX_SEEDS).default(40).describe('how many plays'),
      seed: z.int().min(1).optional().describe('only this play, as a result names it'),
      minutes: z.int().min(1).max(120).default(30).describe('simulated minutes of each play'),
      faults: z.boolean().default(true).describe('whether the service fails and the process ends'),
    }),
    ({ seeds, seed, minutes, faults }) => [
      ...['simulate', '--json', ...option('seeds', seeds), ...option('seed', seed), ...option('minutes', minutes)],
      ...option('faults', faults ? 'all' : 'none'),
    ],
  ),
  tool(
    'routes',
    'Lists the commands, buttons, events, tasks and state of the bot with their files, guards and middleware.',
    z.strictObject({}),
    () => ['routes', '--json'],
  ),
  tool(
    'switch',
    'Switches a command, button, event file, task or route of the bot off or on, at once. With to: list, lists what is off.',
    z
      .strictObject({
        to: z.enum(['off', 'on', 'list']),
        name: z.string().optional().describe('as in the result of routes, such as /roll, buttons/vote or POST /github'),
        server: z.string().optional().describe('only in the server with this name or id'),
        reason: z.string().optional().describe('the reason that people read'),
      })
      .refine(
        ({ to, name }) => (to === 'list') === (name === undefined),
        'pass a name with off and on, none with list',
      ),
    ({ name, to, server, reason }) => [
      ...[to === 'list' ? 'off' : to, '--json', ...option('server', server)],
      ...(to === 'off' ? option('reason', reason) : []),
      ...(name === undefined ? [] : ['--', name]),
    ],
  ),
]

const docsSearch = tool(
  'docs_search',
  'Searches the documentation of the framework. Returns the best matches, or the page with this name.',
  z.strictObject({ question: z.string().min(2).max(500) }),
  ({ question }) => ['docs', '--json', '--', question],
)

/** Writes a test of the latest conversation. `about`: as for `peopleTools`. */
function saveTest(about: readonly string[]): Tool {
  return tool(
    'save_test',
    'Writes the latest conversation with the bot as a vitest file, and runs it.',
    z.strictObject({
      file: z.string().describe('such as test/poll.test.ts'),
      last: z.int().min(1).max(MAX_EVENTS).default(5).describe('how many of the latest messages and clicks'),
      channel: z.string().optional().describe('default: where the latest one was'),
      title: z.string().optional(),
      force: z.boolean().default(false).describe('replace an existing file'),
    }),
    ({ file, last, channel: where, title, force }) => [
      ...['save-test', ...about, ...option('last', last), ...option('in', where), ...option('title', title)],
      ...[...flag('force', force), '--', file],
    ],
  )
}
