import type { AnyScope, Definition, EntryKind, RouteFacts, TaskSchedule } from '@botwright/framework'
import { inEnglish, layerOf, layersAround, type ProgramIo, rulesText } from '@botwright/framework/start'
import { openBotFolder } from '../files/open-folder.ts'
import { showProblem } from '../problems/code-frame.ts'
import { loadFolder } from '../load/loaded-folder.ts'
import { problemsOf } from '../problems/load-problem.ts'
import { scheduleText } from '../terminal/schedule-text.ts'
import { count, createTerminal, cutToWidth, widthOf, type Colors } from '../terminal/terminal.ts'

/** A file of a bot and its purpose. */
interface Route {
  kind: EntryKind
  name: string
  file: string
  /** The name under which `bot.config.ts` mounts its plugin. */
  plugin?: string
  description?: string
  aliases?: readonly string[]
  hidden?: boolean
  /** The input after a command. */
  usage?: string
  params?: Readonly<Record<string, string>>
  /** For a task: its schedule. */
  schedule?: TaskSchedule
  /** For a route: who may send requests, and whether it responds with the result. */
  http?: string
  /** For a state: its scope. */
  scope?: AnyScope
  /** For an event: when the file runs, unless it always does. */
  conditions?: readonly string[]
  guards: readonly string[]
  /** Files of middleware, the outermost first. */
  middleware: readonly string[]
}

const headings: readonly (readonly [EntryKind, string])[] = [
  ['command', 'Commands'],
  ['button', 'Buttons'],
  ['event', 'Events'],
  ['task', 'Tasks'],
  ['route', 'Routes'],
  ['state', 'State'],
  ['resource', 'Resources'],
  ['middleware', 'Middleware'],
]

/** `framework routes`: the purpose of each file, and its middleware and guards. */
export async function runRoutes({ io, json }: { io: ProgramIo; json: boolean }): Promise<number> {
  const terminal = createTerminal(io)
  const { colors, print } = terminal
  const { root, files } = await openBotFolder(io.cwd)
  let routes: Route[]
  try {
    routes = routesOf((await loadFolder(root, files, io)).definitions)
  } catch (error) {
    const problems = await problemsOf(error, root)
    if (json) print(JSON.stringify({ problems }, undefined, 2))
    else for (const problem of problems) print(await showProblem(problem, root, terminal))
    return 1
  }
  if (json) print(JSON.stringify({ routes }, undefined, 2))
  else if (routes.length === 0) print('there are no handlers in this folder yet: framework add command ping')
  else for (const line of shown(routes, colors, io.stdout.columns ?? PIPE_WIDTH)) print(line)
  return 0
}

function routesOf(definitions: readonly Definition[]): Route[] {
  const middleware = new Map(definitions.filter(({ kind }) => kind === 'middleware').map((one) => [layerOf(one), one]))
  return definitions.map(
    ({ kind, name, file, plugin, description, aliases, hidden, params, guards = [], help, ...more }): Route => {
      const wrapped = kind === 'command' || kind === 'button' || kind === 'event'
      const layers = wrapped ? layersAround({ file, ...(plugin !== undefined && { plugin }) }) : []
      const around = layers.flatMap((layer) => middleware.get(layer) ?? [])
      return {
        ...{ kind, name, file },
        ...(plugin !== undefined && { plugin }),
        ...(description !== undefined && { description }),
        ...(aliases && aliases.length > 0 && { aliases }),
        ...(hidden && { hidden }),
        ...(help && inEnglish(help.usage) !== '' && { usage: inEnglish(help.usage) }),
        ...(params && { params }),
        ...(more.schedule && { schedule: more.schedule }),
        ...(kind === 'route' && { http: requestsOf(more.facts as RouteFacts) }),
        ...(more.scope && { scope: more.scope }),
        ...(more.conditions && { conditions: more.conditions.map(inEnglish) }),
        guards: [...new Set([...around.flatMap((one) => one.guards ?? []), ...guards].map(inEnglish))],
        middleware: around.map((one) => one.file),
      }
    },
  )
}

function requestsOf({ verify, respond }: RouteFacts): string {
  const from =
    verify === undefined
      ? 'checked by a function'
      : verify === false
        ? 'from anyone'
        : `${verify.by === 'hmac' ? 'signed' : 'with a token'} (${verify.secret})`
  return respond ? `${from}, responds` : from
}

/** Three columns, and below each file its guards and middleware. `width`: of the terminal. */
function shown(routes: readonly Route[], colors: Colors, width: number): string[] {
  const { bold, cyan, dim } = colors
  const cells = new Map(
    routes.map((route) => [route, [`  ${nameOf(route, colors)}`, detailOf(route, colors)] as const]),
  )
  const widest = (column: 0 | 1) => Math.max(...[...cells.values()].map((row) => widthOf(row[column])))
  const nameWidth = widest(0)
  const fileWidth = Math.max(...routes.map(({ file }) => file.length))
  const detailWidth = Math.min(widest(1), Math.max(width - nameWidth - fileWidth - 4, LEAST_DETAIL))
  const filled = (cell: string, to: number) => cell + ' '.repeat(Math.max(to - widthOf(cell), 0))
  const lines: string[] = []
  for (const [kind, heading] of headings) {
    const own = routes.filter((route) => route.kind === kind)
    if (own.length > 0) lines.push('', `${bold(heading)} ${dim(String(own.length))}`)
    for (const route of own) {
      const [name, detail] = cells.get(route)!
      const columns = [filled(name, nameWidth), filled(cutToWidth(detail, detailWidth), detailWidth)]
      lines.push([...columns, cyan(dim(route.file))].join('  '))
      const indent = ' '.repeat(nameWidth + 2)
      const room = Math.max(width - indent.length, LEAST_DETAIL)
      lines.push(...around(route, colors, room).map((line) => indent + line))
    }
  }
  return [...lines.slice(1), '', dim(`${count(routes.length, 'file')}; for all details: framework routes --json`)]
}

const LEAST_DETAIL = 24
/** The default width: for a pipe or a file. */
const PIPE_WIDTH = 100

/** Guards and middleware: on one line if they fit. */
function around({ conditions = [], guards, middleware }: Route, { dim, yellow }: Colors, width: number): string[] {
  const rules = rulesText([...conditions, ...guards])
  const inside = middleware.length === 0 ? '' : `inside of ${middleware.map(withoutEnding).join(', ')}`
  const parts = [...(rules ? [yellow(rules)] : []), ...(inside ? [dim(inside)] : [])]
  const line = parts.join(dim(' · '))
  return widthOf(line) <= width
    ? parts.length === 0
      ? []
      : [line]
    : [...wrapped(rules, width).map(yellow), ...wrapped(inside, width).map(dim)]
}

const withoutEnding = (file: string): string => file.replace(/\.\w+$/, '')

/** Wraps a text into lines. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else if (word !== '') lines.push(word)
  }
  return lines
}

function nameOf({ kind, name, plugin, aliases = [] }: Route, { bold, dim }: Colors): string {
  if (kind === 'middleware') {
    const what = name === '' ? 'everything' : `${name}/`
    return bold(plugin === undefined ? what : `${what} of ${plugin}`)
  }
  const others = aliases.length > 0 ? dim(` (${aliases.join(', ')})`) : ''
  return bold(kind === 'command' ? `/${name}` : name) + others
}

function detailOf({ description, hidden, usage, params, schedule, http, scope }: Route, { dim }: Colors): string {
  const args = params ? Object.entries(params).map(([name, type]) => `${name}: ${type}`) : []
  const often = schedule && scheduleText(schedule)
  const kept = scope && (scope === 'bot' ? 'one for the bot' : `one for each ${scope}`)
  const typed = [usage ?? '', args.join(', ')].filter((one) => one !== '')
  const facts = [often, http, kept, hidden ? 'hidden' : undefined].filter((one) => one !== undefined)
  return [...typed.map(dim), ...(description ? [description] : []), ...facts.map(dim)].join('  ')
}
