import type { Definition, EntryKind } from '@botwright/framework'
import { foldersAround } from '@botwright/framework/start'
import { openBotFolder } from './bot-folder.ts'
import { showProblem } from './code-frame.ts'
import { loadFolder } from './loaded-folder.ts'
import { problemsOf } from './load-problem.ts'
import { count, createTerminal, table, type Colors } from './terminal.ts'

/** What a file of a bot is for. */
interface Route {
  kind: EntryKind
  name: string
  file: string
  description?: string
  aliases?: readonly string[]
  hidden?: boolean
  /** What is typed behind a command. */
  usage?: string
  params?: Readonly<Record<string, string>>
  guards: readonly string[]
  /** Files of middleware, the outermost first. */
  middleware: readonly string[]
}

const headings: readonly (readonly [EntryKind, string])[] = [
  ['command', 'Commands'],
  ['button', 'Buttons'],
  ['event', 'Events'],
  ['task', 'Tasks'],
  ['state', 'State'],
  ['middleware', 'Middleware'],
]

/** `framework routes`: what each file is for, and what runs before it. */
export async function runRoutes(options: { folder: string; json: boolean }): Promise<number> {
  const { colors, print } = createTerminal()
  const { root, files } = await openBotFolder(options.folder)
  let routes: Route[]
  try {
    routes = routesOf((await loadFolder(root, files)).definitions)
  } catch (error) {
    const problems = await problemsOf(error, root)
    if (options.json) print(JSON.stringify({ problems }, undefined, 2))
    else for (const problem of problems) print(await showProblem(problem, root, colors))
    return 1
  }
  if (options.json) print(JSON.stringify({ routes }, undefined, 2))
  else if (routes.length === 0) print('no file of this folder handles anything yet: framework add command ping')
  else for (const line of shown(routes, colors)) print(line)
  return 0
}

function routesOf(definitions: readonly Definition[]): Route[] {
  const middleware = new Map(definitions.filter(({ kind }) => kind === 'middleware').map((one) => [one.name, one]))
  return definitions.map(({ kind, name, file, description, aliases, hidden, params, guards = [], help }): Route => {
    const wrapped = kind === 'command' || kind === 'button' || kind === 'event'
    const around = wrapped ? foldersAround(file).flatMap((folder) => middleware.get(folder) ?? []) : []
    return {
      ...{ kind, name, file },
      ...(description !== undefined && { description }),
      ...(aliases && aliases.length > 0 && { aliases }),
      ...(hidden && { hidden }),
      ...(help?.usage && { usage: help.usage }),
      ...(params && { params }),
      guards: [...new Set([...around.flatMap((one) => one.guards ?? []), ...guards])],
      middleware: around.map((one) => one.file),
    }
  })
}

function shown(routes: readonly Route[], colors: Colors): string[] {
  const { bold, cyan, dim, yellow } = colors
  // One table, so that the columns of all kinds are in line.
  const rows: string[][] = []
  const starts = new Map<number, string>()
  for (const [kind, heading] of headings) {
    const own = routes.filter((route) => route.kind === kind)
    if (own.length > 0) starts.set(rows.length, `${bold(heading)} ${dim(String(own.length))}`)
    for (const route of own)
      rows.push([
        `  ${nameOf(route, colors)}`,
        detailOf(route, colors),
        yellow(route.guards.join(', ')),
        dim(route.middleware.map((file) => file.replace(/\.\w+$/, '')).join(' › ')),
        cyan(dim(route.file)),
      ])
  }
  // A column that nobody needs takes no room.
  const kept = [0, 1, 2, 3, 4].filter((column) => rows.some((row) => row[column] !== '' && bare(row[column]!) !== ''))
  const lines = table(rows.map((row) => kept.map((column) => row[column]!)))
  return [
    ...lines.flatMap((line, i) => (starts.has(i) ? ['', starts.get(i)!, line] : [line])),
    '',
    dim(`${count(routes.length, 'file')}; ${legend(routes)}`),
  ]
}

const bare = (cell: string): string => cell.replaceAll(/\u001b\[\d+m/g, '')

function legend(routes: readonly Route[]): string {
  const parts = ['what it is']
  if (routes.some((route) => route.guards.length > 0)) parts.push('who may')
  if (routes.some((route) => route.middleware.length > 0)) parts.push('what runs around it')
  return `columns: name, ${[...parts, 'file'].join(', ')}`
}

function nameOf({ kind, name, aliases = [] }: Route, { bold, dim }: Colors): string {
  if (kind === 'middleware') return bold(name === '' ? 'everything' : `${name}/`)
  const others = aliases.length > 0 ? dim(` (${aliases.join(', ')})`) : ''
  return bold(kind === 'command' ? `/${name}` : name) + others
}

function detailOf({ description, hidden, usage, params }: Route, { dim }: Colors): string {
  const args = params ? Object.entries(params).map(([name, type]) => `${name}: ${type}`) : []
  const parts = [usage, args.join(', '), description, hidden ? 'hidden' : undefined]
  return parts.flatMap((part, i) => (!part ? [] : i === 2 ? [part] : [dim(part)])).join('  ')
}
